#include "data/cache_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/signals.h"

namespace sz {

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
  bool said = false;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      log::warn("data: " + path + " can't be locked on this file system: don't prepare the same data twice at once");
      return;
    }
    if (!said) {
      log::info("data: waiting for another process that prepares the same data");
      said = true;
    }
    try {
      throw_if_stopped();
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

CacheLock::~CacheLock() { ::close(descriptor_); }

}  // namespace sz
