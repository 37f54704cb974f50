// Keeps two processes from preparing the same data at once.
#pragma once
#include <string>

namespace sz {

// Waits until no other holder of PATH is left. The kernel lets go when a holder dies, however it dies.
// Errors: base/files.h's; a stop signal ends the wait (see throw_if_stopped).
class CacheLock {
 public:
  explicit CacheLock(const std::string& path);
  ~CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

 private:
  int descriptor_;
};

// Error(kInterrupted) or Error(kTerminated) once a stop signal has come.
void throw_if_stopped();

}  // namespace sz
