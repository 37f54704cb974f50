// Keeps two processes from preparing the same data at once, and removes what dead ones left.
#pragma once
#include <string>

namespace sz {

// Waits until no other holder of PATH is left. The kernel lets go when a holder dies, however it dies.
// Errors: base/files.h's; a stop signal ends the wait (see throw_if_stopped), once the holder has let go or after two
// seconds: a launcher stops all ranks, and the end of the one that waits would kill the one that cleans up.
class CacheLock {
 public:
  explicit CacheLock(const std::string& path);
  ~CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

 private:
  void wait(const std::string& path);

  int descriptor_;
};

// Removes every CACHE/KEY.partial whose CACHE/KEY.lock nobody holds. The caller's own KEY is held, and so stays.
void remove_abandoned(const std::string& cache);

// Error(kInterrupted) or Error(kTerminated) once a stop signal has come.
void throw_if_stopped();

}  // namespace sz
