// Token shards: files of token ids, written once and then memory-mapped.
//
// tokens-NNNNN.bin holds nothing but ids, uint16 where the vocabulary allows it, else uint32, little-endian. A document
// lies in one shard as a whole; a new shard begins where the last one is full.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/document_table.h"

namespace sz {

std::string shard_name(uint32_t shard);
// Bytes of a token: 2 or 4.
int token_bytes(int64_t vocabulary);

// A file written from its start to its end through a buffer. Errors: base/files.h's, a full disk among them.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(const void* bytes, size_t size);
  void finish();  // syncs and closes; what was not finished is not to be trusted
  int64_t size() const { return size_; }

 private:
  void flush();

  std::string path_;
  std::string buffer_;
  int descriptor_;
  int64_t size_ = 0;
};

class ShardWriter {
 public:
  ShardWriter(std::string folder, int64_t vocabulary, int64_t shard_bytes = kShardBytes);
  ~ShardWriter();

  // One document after another. begin() fills first_token and shard.
  void begin(DocumentRecord& record);
  void append(std::span<const int32_t> ids);
  void finish();
  uint32_t shards() const { return shards_; }

  static constexpr int64_t kShardBytes = int64_t(1) << 30;

 private:
  std::string folder_;
  int token_bytes_;
  int64_t shard_bytes_;
  uint32_t shards_ = 0;
  std::unique_ptr<FileWriter> file_;
  std::vector<uint16_t> narrow_;
};

// A whole file, memory-mapped and read-only.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  const std::string& path() const { return path_; }
  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  std::string path_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

// Thread: any, at once.
class ShardReader {
 public:
  ShardReader(const std::string& folder, uint32_t shards, int64_t vocabulary);
  // `count` tokens from token `offset` of the document. Out of the document's range: an assertion; a token outside the
  // vocabulary: Error(kData), the file is damaged.
  void read(const DocumentRecord& record, uint64_t offset, uint64_t count, std::vector<int64_t>& ids) const;
  int32_t token(const DocumentRecord& record, uint64_t offset) const;
  // True if the record's tokens lie within its shard.
  bool holds(const DocumentRecord& record) const;

 private:
  int32_t at(const MappedFile& shard, uint64_t index) const;

  int64_t vocabulary_;
  int token_bytes_;
  std::vector<MappedFile> shards_;
};

}  // namespace sz
