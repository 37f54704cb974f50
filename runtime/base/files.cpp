#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"

namespace sz {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

int open_for_reading(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw io_error("read", path, errno);
  return fd;
}

size_t read_some(int fd, char* to, size_t size, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(fd, to, size);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) throw io_error("read", path, errno);
  }
}

const char* advice_for(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT: return "; free space there, or name a folder on another disk";
    case EMFILE:
    case ENFILE: return "; raise the limit on open files (ulimit -n)";
    case EFBIG: return "; raise the limit on file sizes (ulimit -f)";
    case ENOMEM: return "; free memory";
    case EACCES:
    case EPERM: return "; check who owns it and its mode";
    case EROFS: return "; name a folder on a disk that can be written";
    case EIO: return "; the disk itself failed: look at the system's log";
    case ENOENT: return "; check the name";
    default: return "";
  }
}

Exit kind_of(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case EFBIG:
    case ENOMEM: return Exit::kExhausted;
    case EIO: return Exit::kCorrupt;
    default: return Exit::kUsage;
  }
}

// Syncs and closes; the close may be what reports a full disk on network file systems.
void finish(Descriptor& file, const std::string& path) {
  if (::fsync(file.get()) != 0) throw io_error("write", path, errno);
  if (::close(file.release()) != 0) throw io_error("write", path, errno);
}

}  // namespace

Error io_error(const std::string& doing, const std::string& path, int errno_value) {
  const std::string reason = std::generic_category().message(errno_value);
  return Error(kind_of(errno_value), "cannot " + doing + " " + path + ": " + reason + advice_for(errno_value));
}

void for_each_piece(const std::string& path, const std::function<void(std::string_view)>& take) {
  const Descriptor file(open_for_reading(path));
  std::vector<char> buffer(size_t(1) << 20);
  while (const size_t got = read_some(file.get(), buffer.data(), buffer.size(), path)) {
    take(std::string_view(buffer.data(), got));
  }
}

std::string read_file(const std::string& path) {
  const Descriptor file(open_for_reading(path));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw io_error("read", path, errno);
  if (S_ISDIR(status.st_mode)) throw io_error("read", path, EISDIR);
  std::string bytes;
  size_t filled = 0;
  // One byte more than the size, so that the end is seen without a second buffer; pseudo-files report size 0.
  size_t room = static_cast<size_t>(status.st_size) + 1;
  for (;;) {
    bytes.resize(filled + room);
    const size_t got = read_some(file.get(), bytes.data() + filled, room, path);
    filled += got;
    if (got == 0) break;
    room = bytes.size() > filled ? bytes.size() - filled : size_t(1) << 16;
  }
  bytes.resize(filled);
  return bytes;
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw io_error("write", path, errno);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

std::string folder_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

void sync_folder(const std::string& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) throw io_error("sync", folder, errno);
  // Some file systems cannot sync a folder and say EINVAL: there is nothing more to be done then.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) throw io_error("sync", folder, errno);
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  static std::atomic<uint64_t> counter{0};
  const std::string aside = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  Descriptor file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) throw io_error("write", path, errno);
  try {
    write_all(file.get(), bytes, path);
    finish(file, path);
    if (::rename(aside.c_str(), path.c_str()) != 0) throw io_error("write", path, errno);
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
  sync_folder(folder_of(path));
}

void make_directories(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) throw io_error("make the folder", path, code.value());
  // create_directories may be content with a file of that name.
  if (!std::filesystem::is_directory(path, code)) throw io_error("make the folder", path, ENOTDIR);
}

FileLock::FileLock(const std::string& folder) {
  make_directories(folder);
  const std::string path = folder + "/.lock";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() < 0) throw io_error("lock", path, errno);
  int result = 0;
  do {
    result = ::flock(file.get(), LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EWOULDBLOCK) {
    char holder[128] = {};
    if (::pread(file.get(), holder, sizeof holder - 1, 0) <= 0) holder[0] = '\0';
    const std::string who = holder[0] ? holder : "another process";
    throw Error(Exit::kUsage, folder + " is in use by " + who +
                                  "; wait until that ends, stop it, or choose another name (run.name)");
  }
  if (result != 0) {
    log::warn("cannot lock " + path + ": " + std::generic_category().message(errno) +
              "; nothing keeps a second run out of this folder");
    return;
  }
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  const std::string holder = "process " + std::to_string(::getpid()) + " on " + std::string(host, strnlen(host, 80));
  if (::ftruncate(file.get(), 0) != 0) throw io_error("lock", path, errno);
  write_all(file.get(), holder, path);
  descriptor_ = file.release();
}

FileLock::~FileLock() { release(); }
FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this != &other) {
    release();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

// The file stays: unlinking it would let a waiting process lock a name that no longer exists.
void FileLock::release() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace sz
