#include "data/cache_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/signals.h"

namespace sz {
namespace {

constexpr std::chrono::milliseconds kPoll{50};
constexpr std::chrono::milliseconds kCleanUp{2000};  // for the holder, once both were asked to stop

bool is_held(const std::string& lock) {
  const int descriptor = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return errno != ENOENT;
  const bool held = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0;
  ::close(descriptor);
  return held;
}

}  // namespace

void throw_if_stopped() {
  if (const int signal = stop_signal()) {
    throw Error(signal == SIGINT ? Exit::kInterrupted : Exit::kTerminated,
                "data: stopped while preparing; nothing of it is kept");
  }
}

CacheLock::CacheLock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) {
    throw io_error("lock", path, errno);
  }
  try {
    wait(path);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void CacheLock::wait(const std::string& path) {
  bool said = false;
  auto left = kCleanUp;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      log::warn("data: " + path + " can't be locked on this file system: don't prepare the same data twice at once");
      return;
    }
    if (!said) {
      log::info("data: waiting for another process that prepares the same data");
      said = true;
    }
    if (stop_signal() != 0 && (left -= kPoll).count() < 0) break;
    std::this_thread::sleep_for(kPoll);
  }
  throw_if_stopped();
}

CacheLock::~CacheLock() { ::close(descriptor_); }

void remove_abandoned(const std::string& cache) {
  namespace fs = std::filesystem;
  constexpr std::string_view kPartial = ".partial";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cache, ignored)) {
    std::string name = entry.path().string();
    if (!name.ends_with(kPartial)) continue;
    name.resize(name.size() - kPartial.size());
    if (!is_held(name + ".lock")) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace sz
