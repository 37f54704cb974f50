#include "data/shards.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace sz {

std::string shard_name(uint32_t shard) {
  char name[32];
  std::snprintf(name, sizeof name, "tokens-%05u.bin", shard);
  return name;
}

int token_bytes(int64_t vocabulary) { return vocabulary <= 65536 ? 2 : 4; }

FileWriter::FileWriter(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) {
    throw io_error("write", path_, errno);
  }
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void FileWriter::write(const void* bytes, size_t size) {
  constexpr size_t kBufferBytes = 1 << 20;
  buffer_.append(static_cast<const char*>(bytes), size);
  size_ += static_cast<int64_t>(size);
  if (buffer_.size() >= kBufferBytes) {
    flush();
  }
}

void FileWriter::flush() {
  write_all(descriptor_, buffer_, path_);
  buffer_.clear();
}

void FileWriter::finish() {
  flush();
  if (::fsync(descriptor_) != 0 || ::close(std::exchange(descriptor_, -1)) != 0) {
    throw io_error("write", path_, errno);
  }
}

ShardWriter::ShardWriter(std::string folder, int64_t vocabulary, int64_t shard_bytes)
    : folder_(std::move(folder)), token_bytes_(token_bytes(vocabulary)), shard_bytes_(shard_bytes) {}

ShardWriter::~ShardWriter() = default;

void ShardWriter::begin(DocumentRecord& record) {
  if (file_ && file_->size() >= shard_bytes_) {
    finish();
  }
  if (!file_) {
    file_ = std::make_unique<FileWriter>(folder_ + "/" + shard_name(shards_++));
  }
  record.shard = shards_ - 1;
  record.first_token = static_cast<uint64_t>(file_->size() / token_bytes_);
}

void ShardWriter::append(std::span<const int32_t> ids) {
  SZ_ASSERT(file_);
  if (token_bytes_ == 4) {
    file_->write(ids.data(), ids.size_bytes());
    return;
  }
  narrow_.assign(ids.begin(), ids.end());
  file_->write(narrow_.data(), narrow_.size() * sizeof(uint16_t));
}

void ShardWriter::finish() {
  if (file_) {
    file_->finish();
    file_.reset();
  }
}

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw io_error("read", path, errno);
  }
  struct stat status {};
  int failed = ::fstat(descriptor, &status) != 0 ? errno : 0;
  size_ = static_cast<size_t>(status.st_size);
  if (!failed && size_ > 0) {
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    failed = data_ == MAP_FAILED ? errno : 0;
  }
  ::close(descriptor);
  if (failed) {
    data_ = nullptr;
    throw io_error("map", path, failed);
  }
}

MappedFile::~MappedFile() {
  if (data_) {
    ::munmap(data_, size_);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

ShardReader::ShardReader(const std::string& folder, uint32_t shards, int64_t vocabulary)
    : vocabulary_(vocabulary), token_bytes_(token_bytes(vocabulary)) {
  for (uint32_t shard = 0; shard < shards; ++shard) {
    shards_.emplace_back(folder + "/" + shard_name(shard));
  }
}

bool ShardReader::holds(const DocumentRecord& record) const {
  if (record.shard >= shards_.size()) {
    return false;
  }
  const uint64_t tokens = shards_[record.shard].bytes().size() / static_cast<uint64_t>(token_bytes_);
  return record.first_token <= tokens && record.tokens <= tokens - record.first_token;
}

int32_t ShardReader::at(const MappedFile& shard, uint64_t index) const {
  const char* bytes = shard.bytes().data() + index * static_cast<uint64_t>(token_bytes_);
  uint32_t id = 0;
  std::memcpy(&id, bytes, static_cast<size_t>(token_bytes_));  // little-endian
  if (id >= vocabulary_) {
    throw Error(Exit::kData, shard.path() + ": token " + std::to_string(index) + " is " + std::to_string(id) +
                                 ", outside the vocabulary: the file is damaged; remove its folder to have it "
                                 "prepared again");
  }
  return static_cast<int32_t>(id);
}

int32_t ShardReader::token(const DocumentRecord& record, uint64_t offset) const {
  SZ_ASSERT(offset < record.tokens);
  return at(shards_[record.shard], record.first_token + offset);
}

void ShardReader::read(const DocumentRecord& record, uint64_t offset, uint64_t count, std::vector<int64_t>& ids) const {
  SZ_ASSERT(offset <= record.tokens && count <= record.tokens - offset);
  const MappedFile& shard = shards_[record.shard];
  ids.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    ids[i] = at(shard, record.first_token + offset + i);
  }
}

}  // namespace sz
