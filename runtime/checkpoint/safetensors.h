// Safetensors files: an 8-byte little-endian header length, a JSON header, then the tensors' bytes without gaps.
// Format: https://github.com/huggingface/safetensors#format. Nothing in such a file can run code.
//
// Thread: a writer belongs to one thread; a reader may be used by several.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace sz {

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  int64_t begin = 0, end = 0;  // bytes, from the start of the file
};

// Number of elements of `shape`, or -1 where a dimension is negative or the product exceeds int64.
int64_t count_elements(const std::vector<int64_t>& shape);

// Streams tensors to a new file: begin(), append() until the tensor is complete, and so on, then finish().
// Only the header is kept in memory: room for it is left at the start and filled at the end (where it does not
// suffice, the data are moved up once). The file is no valid one before finish(), and is not removed on failure.
// Errors: kExhausted (disk full), kUsage (not writable), kCorrupt (other I/O errors); SZ_ASSERT on wrong sizes.
class SafetensorsWriter {
 public:
  static constexpr int64_t kReserve = 64 * 1024;  // bytes left for the header

  explicit SafetensorsWriter(const std::string& path, int64_t reserve = kReserve);
  ~SafetensorsWriter();
  SafetensorsWriter(SafetensorsWriter&&) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) noexcept;

  void set_metadata(const std::string& key, const std::string& value);  // goes into __metadata__
  void begin(const std::string& name, DType dtype, const std::vector<int64_t>& shape);
  void append(const void* bytes, size_t count);

  // What was written, with the XXH3-64 of both stretches of the file.
  struct Summary {
    int64_t header_bytes = 0, data_bytes = 0;  // the header with its length field and padding
    uint64_t header_hash = 0, data_hash = 0;
  };
  Summary finish();  // writes the header, syncs and closes the file

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads the header of a file and checks all of it: every length, offset, shape product and dtype, that tensors
// neither overlap nor leave gaps, and that the file ends where they do.
// Errors: Error(kCorrupt, "PATH: what") for a torn, damaged or hostile file; kUsage where it cannot be opened.
// The file is opened anew by every read(), so that thousands of readers hold no descriptors.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }  // in order of their bytes
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const TensorInfo* find(const std::string& name) const;  // null where absent
  // Copies bytes [begin, end) of the tensor to `to`.
  void read(const TensorInfo& tensor, int64_t begin, int64_t end, void* to) const;

 private:
  std::string path_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace sz
