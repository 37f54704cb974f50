// manifest.json: what a checkpoint consists of. Internal to checkpoint/.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace sz {

// Consecutive stretches of a file, each with its XXH3-64: a safetensors file has two, header and data, since the
// header is written last.
struct FileSection {
  int64_t bytes = 0;
  uint64_t hash = 0;
};

struct FileRecord {
  std::string name;  // within the folder
  std::vector<FileSection> sections;
  int64_t size() const;
};
nlohmann::json to_json_object(const FileRecord& record);
// Throws Error(kCorrupt) starting with `where`.
FileRecord file_record_from(const std::string& where, const nlohmann::json& value);

struct BlobRecord {
  std::string plugin;
  uint32_t version = 1;
  BlobScope scope = BlobScope::kCheckpoint;
};

struct CheckpointManifest {
  int64_t step = 0, attempt = 0, serial = 0;
  int ranks = 1;
  std::vector<FileRecord> files;
  std::vector<BlobRecord> blobs;
  nlohmann::json meta;

  std::string to_text() const;  // with a checksum of itself
  // Checks format, checksum, types, names, and that each file is there in full size. Error(kCorrupt).
  static CheckpointManifest load(const std::string& folder);
};

// Compares a file's bytes with its record. Error(kCorrupt).
void verify_file(const std::string& folder, const FileRecord& record);

}  // namespace sz
