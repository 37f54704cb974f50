#include "checkpoint/manifest.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "checkpoint/file.h"
#include "checkpoint/layout.h"

namespace sz {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kFormat = 1;
constexpr const char* kChecksum = "xxh3";
constexpr const char* kScopes[] = {"checkpoint", "checkpoint and rollback"};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(Exit::kCorrupt, where + ": " + what);
}

std::string to_hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

const json& member(const std::string& where, const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) fail(where, std::string("has no '") + key + "'");
  return *found;
}

int64_t integer_at(const std::string& where, const json& object, const char* key, int64_t max) {
  const json& value = member(where, object, key);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > uint64_t(max)) {
    fail(where, std::string("'") + key + "' is not a whole number from 0 to " + std::to_string(max));
  }
  return int64_t(value.get<uint64_t>());
}

std::string string_at(const std::string& where, const json& object, const char* key) {
  const json& value = member(where, object, key);
  if (!value.is_string()) fail(where, std::string("'") + key + "' is not a string");
  return value.get<std::string>();
}

const json& list_at(const std::string& where, const json& object, const char* key) {
  const json& value = member(where, object, key);
  if (!value.is_array()) fail(where, std::string("'") + key + "' is not a list");
  return value;
}

uint64_t hash_at(const std::string& where, const json& object, const char* key) {
  const std::string text = string_at(where, object, key);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) {
    fail(where, std::string("'") + key + "' is not a checksum");
  }
  return value;
}

BlobRecord blob_record_from(const std::string& where, const json& value) {
  BlobRecord blob;
  blob.plugin = string_at(where, value, "id");
  if (!layout::is_file_id(blob.plugin)) fail(where, "'" + blob.plugin + "' cannot be a plugin's id");
  blob.version = uint32_t(integer_at(where, value, "version", std::numeric_limits<uint32_t>::max()));
  const std::string scope = string_at(where, value, "scope");
  if (scope != kScopes[0] && scope != kScopes[1]) fail(where, "plugin state of unknown scope '" + scope + "'");
  blob.scope = scope == kScopes[1] ? BlobScope::kCheckpointAndRollback : BlobScope::kCheckpoint;
  return blob;
}

uint64_t checksum_of(json manifest) {
  manifest.erase(kChecksum);
  const std::string text = manifest.dump();
  return xxh3_64(text);
}

json parse_manifest(const std::string& path) {
  json value;
  try {
    value = json::parse(read_file(path));
  } catch (const json::exception& e) {
    fail(path, std::string("not valid JSON: ") + e.what());
  }
  if (!value.is_object()) fail(path, "not a JSON object");
  const int64_t format = integer_at(path, value, "format", std::numeric_limits<int64_t>::max());
  if (format != kFormat) {
    fail(path, "checkpoint format " + std::to_string(format) + ", this program reads " + std::to_string(kFormat));
  }
  if (hash_at(path, value, kChecksum) != checksum_of(value)) fail(path, "its checksum does not match: it is damaged");
  return value;
}

void check_files(const std::string& folder, const std::string& where, const CheckpointManifest& manifest) {
  std::set<std::string> names;
  for (const FileRecord& file : manifest.files) {
    if (!names.insert(file.name).second) fail(where, "names '" + file.name + "' twice");
    const std::string path = folder + "/" + file.name;
    std::error_code error;
    const uintmax_t size = fs::file_size(path, error);
    if (error) fail(path, "is missing: " + error.message());
    if (int64_t(size) != file.size()) {
      fail(path, "has " + std::to_string(size) + " bytes instead of " + std::to_string(file.size()));
    }
  }
  if (!names.count(layout::kConfig)) fail(where, std::string("names no ") + layout::kConfig);
  for (const BlobRecord& blob : manifest.blobs) {
    if (!names.count(layout::plugin_file(blob.plugin))) fail(where, "names no file for plugin " + blob.plugin);
  }
}

}  // namespace

int64_t FileRecord::size() const {
  int64_t size = 0;
  for (const FileSection& section : sections) size += section.bytes;
  return size;
}

json to_json_object(const FileRecord& record) {
  json sections = json::array();
  for (const FileSection& section : record.sections) {
    sections.push_back({{"bytes", section.bytes}, {"xxh3", to_hex(section.hash)}});
  }
  return {{"name", record.name}, {"size", record.size()}, {"sections", sections}};
}

FileRecord file_record_from(const std::string& where, const json& value) {
  FileRecord record;
  record.name = string_at(where, value, "name");
  if (!layout::is_file_name(record.name)) fail(where, "'" + record.name + "' cannot be a file of a checkpoint");
  int64_t rest = integer_at(where, value, "size", std::numeric_limits<int64_t>::max());
  for (const json& section : list_at(where, value, "sections")) {
    const int64_t bytes = integer_at(where, section, "bytes", rest);
    record.sections.push_back({bytes, hash_at(where, section, "xxh3")});
    rest -= bytes;
  }
  if (rest != 0) fail(where, "the sections of " + record.name + " do not add up to its size");
  return record;
}

std::string CheckpointManifest::to_text() const {
  json files_json = json::array(), blobs_json = json::array();
  for (const FileRecord& file : files) files_json.push_back(to_json_object(file));
  for (const BlobRecord& blob : blobs) {
    blobs_json.push_back({{"id", blob.plugin}, {"version", blob.version}, {"scope", kScopes[int(blob.scope)]}});
  }
  json value = {{"format", kFormat}, {"step", step},        {"attempt", attempt},    {"serial", serial},
                {"ranks", ranks},    {"files", files_json}, {"plugins", blobs_json}, {"meta", meta}};
  value[kChecksum] = to_hex(checksum_of(value));
  return value.dump(1) + "\n";
}

CheckpointManifest CheckpointManifest::load(const std::string& folder) {
  const std::string path = folder + "/" + layout::kManifest;
  std::error_code error;
  if (!fs::exists(path, error)) fail(folder, "no manifest.json: no checkpoint, or one that was never completed");
  const json value = parse_manifest(path);

  CheckpointManifest manifest;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  manifest.step = integer_at(path, value, "step", kMax);
  manifest.attempt = integer_at(path, value, "attempt", kMax);
  manifest.serial = integer_at(path, value, "serial", kMax - 1);
  manifest.ranks = int(integer_at(path, value, "ranks", std::numeric_limits<int>::max()));
  for (const json& file : list_at(path, value, "files")) manifest.files.push_back(file_record_from(path, file));
  for (const json& blob : list_at(path, value, "plugins")) manifest.blobs.push_back(blob_record_from(path, blob));
  manifest.meta = member(path, value, "meta");
  if (!manifest.meta.is_object()) fail(path, "'meta' is not an object");
  check_files(folder, path, manifest);
  return manifest;
}

void verify_file(const std::string& folder, const FileRecord& record) {
  const ReadableFile file(folder + "/" + record.name);
  if (file.size() != record.size()) {
    fail(file.path(), "has " + std::to_string(file.size()) + " bytes instead of " + std::to_string(record.size()));
  }
  int64_t begin = 0;
  for (const FileSection& section : record.sections) {
    if (hash_stretch(file, begin, begin + section.bytes) != section.hash) {
      fail(file.path(), "bytes " + std::to_string(begin) + " to " + std::to_string(begin + section.bytes) +
                            " do not match their checksum: the file is damaged");
    }
    begin += section.bytes;
  }
}

}  // namespace sz
