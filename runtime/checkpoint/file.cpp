#include "checkpoint/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/hash.h"

namespace sz {

namespace fs = std::filesystem;

namespace {

Error write_error(const std::string& path, int error) {
  const Error cause = io_error("write", path, error);
  return error == EFBIG ? Error(Exit::kExhausted, cause.what()) : cause;
}

// pread until `count` bytes are there; returns how many were.
size_t read_fully(int fd, const std::string& path, int64_t offset, void* bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    const ssize_t n = ::pread(fd, static_cast<char*>(bytes) + done, count - done, offset + int64_t(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw io_error("read", path, errno);
    if (n == 0) break;
    done += size_t(n);
  }
  return done;
}

void close_quietly(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) throw write_error(path, errno);
}

OutputFile::~OutputFile() { close_quietly(fd_); }

void OutputFile::write_at(int64_t offset, const void* bytes, size_t count) {
  SZ_ASSERT(fd_ >= 0);
  size_t done = 0;
  while (done < count) {
    const ssize_t n = ::pwrite(fd_, static_cast<const char*>(bytes) + done, count - done, offset + int64_t(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw write_error(path_, errno);
    done += size_t(n);
  }
}

void OutputFile::read_at(int64_t offset, void* bytes, size_t count) const {
  const size_t n = read_fully(fd_, path_, offset, bytes, count);
  if (n != count) throw Error(Exit::kCorrupt, path_ + ": someone else cut this file while it was written");
}

void OutputFile::sync_and_close() {
  SZ_ASSERT(fd_ >= 0);
  if (::fsync(fd_) != 0) throw write_error(path_, errno);
  if (::close(std::exchange(fd_, -1)) != 0) throw write_error(path_, errno);  // NFS reports a full disk here
}

ReadableFile::ReadableFile(const std::string& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw io_error("read", path, errno);
  struct stat status = {};
  if (::fstat(fd_, &status) != 0) {
    const int error = errno;
    close_quietly(fd_);
    throw io_error("read", path, error);
  }
  if (!S_ISREG(status.st_mode)) {
    close_quietly(fd_);
    throw Error(Exit::kCorrupt, path + ": not a regular file");
  }
  size_ = status.st_size;
}

ReadableFile::~ReadableFile() { close_quietly(fd_); }

void ReadableFile::read_at(int64_t offset, void* bytes, size_t count) const {
  const size_t n = read_fully(fd_, path_, offset, bytes, count);
  if (n != count) {
    throw Error(Exit::kCorrupt, path_ + ": ends at byte " + std::to_string(offset + int64_t(n)) + ", but " +
                                    std::to_string(offset + int64_t(count)) + " were expected");
  }
}

void write_synced_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write_at(0, bytes.data(), bytes.size());
  file.sync_and_close();
}

uint64_t hash_stretch(const ReadableFile& file, int64_t begin, int64_t end) {
  Xxh3 hash;
  std::vector<char> buffer(size_t(std::min<int64_t>(end - begin, 1 << 20)));
  while (begin < end) {
    const size_t n = size_t(std::min<int64_t>(end - begin, int64_t(buffer.size())));
    file.read_at(begin, buffer.data(), n);
    hash.update(buffer.data(), n);
    begin += int64_t(n);
  }
  return hash.digest_64();
}

void replace_folder(const std::string& from, const std::string& to, const std::string& aside) {
  std::string old;  // removed only once the new folder's name is on disk
  if (!fs::exists(to)) {
    if (::rename(from.c_str(), to.c_str()) != 0) throw io_error("write", to, errno);
  } else if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    old = from;
  } else {
    std::error_code ignored;
    fs::remove_all(aside, ignored);
    if (::rename(to.c_str(), aside.c_str()) != 0) throw io_error("replace", to, errno);
    if (::rename(from.c_str(), to.c_str()) != 0) {
      const int error = errno;
      if (::rename(aside.c_str(), to.c_str()) != 0) { /* still found under `aside` */ }
      throw io_error("replace", to, error);
    }
    old = aside;
  }
  sync_folder(folder_of(to));
  std::error_code ignored;  // a leftover is harmless
  if (!old.empty()) fs::remove_all(old, ignored);
}

}  // namespace sz
