// Files: whole ones read, written so that none is ever half there, and a lock for folders in use.
// Errors name the path, the system's reason and what to do; their kind follows the reason (see io_error).
// Thread: any.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace sz {

// The error for a failed system call: "cannot DOING PATH: REASON; advice".
// No space, quota, memory, descriptors or file size left: kExhausted. The device failed: kCorrupt. Else: kUsage.
Error io_error(const std::string& doing, const std::string& path, int errno_value);

std::string read_file(const std::string& path);
// Calls `take` with one piece after another, at most 1 MiB each; a piece dies at return.
void for_each_piece(const std::string& path, const std::function<void(std::string_view)>& take);

// Writes beside `path`, syncs, renames over it, syncs the folder: a reader sees the old or the new file, whole.
void write_file_atomically(const std::string& path, std::string_view bytes);

// All of `bytes` to an open descriptor; `path` is for the message.
void write_all(int descriptor, std::string_view bytes, const std::string& path);
void sync_folder(const std::string& folder);  // makes creations and renames in it last
std::string folder_of(const std::string& path);  // "." for a bare name

void make_directories(const std::string& path);  // with parents; none made where all are there

// Holds FOLDER/.lock (flock) as long as it lives, so that two runs never write into one folder; the kernel lets go
// when the process dies, however it dies. The folder is made where missing.
// Errors: kUsage naming the process that holds it. A file system without locks: a warning, and no lock.
class FileLock {
 public:
  explicit FileLock(const std::string& folder);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  bool held() const { return descriptor_ >= 0; }

 private:
  void release() noexcept;
  int descriptor_ = -1;
};

}  // namespace sz
