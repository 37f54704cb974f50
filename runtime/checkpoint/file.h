// Files by descriptor: reads and writes at exact places, and the exchange of folders. Internal to checkpoint/.
// Errors are base/files.h's io_error(); a file past the process's size limit counts as a full disk.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace sz {

// A new file; nothing is buffered here. The destructor closes without syncing.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);  // truncates
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write_at(int64_t offset, const void* bytes, size_t count);
  void read_at(int64_t offset, void* bytes, size_t count) const;  // what was written before
  void sync_and_close();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

class ReadableFile {
 public:
  explicit ReadableFile(const std::string& path);
  ~ReadableFile();
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;

  int64_t size() const { return size_; }  // at opening
  // Error(kCorrupt) where the file ends before. Thread: any.
  void read_at(int64_t offset, void* bytes, size_t count) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
  int64_t size_ = 0;
};

void write_synced_file(const std::string& path, std::string_view bytes);   // not atomic
uint64_t hash_stretch(const ReadableFile& file, int64_t begin, int64_t end);  // XXH3-64 of bytes [begin, end)
// Puts folder `from` in the place of folder `to`, atomically where the file system can exchange them; elsewhere
// what stood there is called `aside` for a moment. Removes what stood there, once the change is on disk.
void replace_folder(const std::string& from, const std::string& to, const std::string& aside);

}  // namespace sz
