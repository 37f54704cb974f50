#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "checkpoint/file.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/safetensors_dtype.h"

namespace sz {

using nlohmann::json;

int64_t count_elements(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0 || __builtin_mul_overflow(count, dimension, &count)) return -1;
  }
  return count;
}

namespace {

constexpr int64_t kLengthField = 8;
constexpr int64_t kMaxHeader = 100'000'000;  // the format's own limit

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(Exit::kCorrupt, path + ": " + what);
}

int64_t read_header_length(const ReadableFile& file) {
  if (file.size() < kLengthField) fail(file.path(), "too short to be a safetensors file");
  unsigned char bytes[kLengthField];
  file.read_at(0, bytes, sizeof bytes);
  uint64_t length = 0;
  for (int i = 0; i < 8; ++i) length |= uint64_t(bytes[i]) << (8 * i);
  if (length > uint64_t(kMaxHeader)) fail(file.path(), "header length " + std::to_string(length) + " is too large");
  if (int64_t(length) > file.size() - kLengthField) fail(file.path(), "ends within its header");
  return int64_t(length);
}

// nlohmann keeps the last of two equal keys; here the second is an error.
json parse_header(const std::string& path, const std::string& text) {
  if (text.empty() || text[0] != '{') fail(path, "the header is not a JSON object");
  std::set<std::string> names;
  const auto check_unique = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second) {
      fail(path, "the header names '" + value.get<std::string>() + "' twice");
    }
    return true;
  };
  try {
    return json::parse(text, check_unique);
  } catch (const json::exception& e) {
    fail(path, std::string("the header is not valid JSON: ") + e.what());
  }
}

int64_t to_integer(const std::string& where, const json& value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())) {
    throw Error(Exit::kCorrupt, where + " is not a whole number from 0 to 2^63 - 1");
  }
  return int64_t(value.get<uint64_t>());
}

const json& member(const std::string& where, const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error(Exit::kCorrupt, where + " has no '" + key + "'");
  return *found;
}

TensorInfo parse_tensor(const std::string& path, const std::string& name, const json& value, int64_t data_start,
                        int64_t file_size) {
  const std::string where = path + ": tensor '" + name + "'";
  if (!value.is_object()) fail(path, "tensor '" + name + "' is not described by an object");
  TensorInfo tensor;
  tensor.name = name;

  const json& dtype = member(where, value, "dtype");
  const auto known = dtype.is_string() ? dtype_from_safetensors(dtype.get<std::string>()) : std::nullopt;
  if (!known) throw Error(Exit::kCorrupt, where + " has the unknown dtype " + dtype.dump());
  tensor.dtype = *known;

  const json& shape = member(where, value, "shape");
  if (!shape.is_array()) throw Error(Exit::kCorrupt, where + ": shape is not a list");
  for (const json& dimension : shape) tensor.shape.push_back(to_integer(where + ": a dimension", dimension));

  const json& offsets = member(where, value, "data_offsets");
  if (!offsets.is_array() || offsets.size() != 2) throw Error(Exit::kCorrupt, where + ": data_offsets is not a pair");
  const int64_t begin = to_integer(where + ": an offset", offsets[0]);
  const int64_t end = to_integer(where + ": an offset", offsets[1]);
  if (begin > end || end > file_size - data_start) {
    throw Error(Exit::kCorrupt, where + ": bytes " + std::to_string(begin) + " to " + std::to_string(end) +
                                    " do not lie in the file's " + std::to_string(file_size - data_start));
  }
  int64_t bytes = count_elements(tensor.shape);
  if (bytes < 0 || __builtin_mul_overflow(bytes, int64_t(size_of(tensor.dtype)), &bytes) || bytes != end - begin) {
    throw Error(Exit::kCorrupt, where + ": shape " + shape.dump() + " does not fit its " +
                                    std::to_string(end - begin) + " bytes");
  }
  tensor.begin = data_start + begin;
  tensor.end = data_start + end;
  return tensor;
}

std::map<std::string, std::string> parse_metadata(const std::string& path, const json& value) {
  std::map<std::string, std::string> metadata;
  if (!value.is_object()) fail(path, "__metadata__ is not an object");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) fail(path, "__metadata__ entry '" + key + "' is not a string");
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

// Sorts by offset; a gap or an overlap shows as a start that isn't the last one's end.
void check_contiguous(const std::string& path, std::vector<TensorInfo>& tensors, int64_t data_start,
                      int64_t file_size) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  int64_t expected = data_start;
  for (const TensorInfo& t : tensors) {
    if (t.begin < expected) fail(path, "tensor '" + t.name + "' overlaps the one before");
    if (t.begin > expected) fail(path, "there is a gap before tensor '" + t.name + "'");
    expected = t.end;
  }
  if (expected != file_size) {
    fail(path, "has " + std::to_string(file_size) + " bytes, its tensors end at " + std::to_string(expected));
  }
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::string& path) : path_(path) {
  const ReadableFile file(path);
  const int64_t length = read_header_length(file);
  const int64_t data_start = kLengthField + length;
  std::string text(size_t(length), '\0');
  file.read_at(kLengthField, text.data(), text.size());

  const json header = parse_header(path, text);
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      metadata_ = parse_metadata(path, value);
    } else {
      tensors_.push_back(parse_tensor(path, name, value, data_start, file.size()));
    }
  }
  check_contiguous(path, tensors_, data_start, file.size());
}

const TensorInfo* SafetensorsReader::find(const std::string& name) const {
  for (const TensorInfo& t : tensors_) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

void SafetensorsReader::read(const TensorInfo& tensor, int64_t begin, int64_t end, void* to) const {
  SZ_ASSERT(0 <= begin && begin <= end && end <= tensor.end - tensor.begin);
  ReadableFile(path_).read_at(tensor.begin + begin, to, size_t(end - begin));
}

}  // namespace sz
