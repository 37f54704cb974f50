// Errors that are the user's or the world's: a message that says what to do, and an exit code by kind.
// The programmer's errors are SZ_ASSERT, which stays in release builds.
#pragma once
#include <stdexcept>
#include <string>

namespace sz {

// Exit codes of every binary; the value is the process's exit status.
enum class Exit : int {
  kOk = 0,
  kInternal = 1,   // a bug of ours
  kUsage = 2,      // command line or configuration
  kPlugin = 3,
  kData = 4,
  kDiverged = 5,
  kCorrupt = 6,    // a checkpoint or swap file is damaged
  kComm = 7,       // communication failed or a peer was lost
  kExhausted = 8,  // memory or disk
  kInterrupted = 130,
  kTerminated = 143,
};

class Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
  Exit exit() const noexcept { return exit_; }

 private:
  Exit exit_;
};

// Called with the message before the process aborts; may end it otherwise. Null: nothing. Thread: main, at start.
using AssertionHandler = void (*)(const std::string& message);
void set_assertion_handler(AssertionHandler handler);

[[noreturn]] void assertion_failed(const char* file, int line, const char* what);

}  // namespace sz

#define SZ_ASSERT(condition) ((condition) ? (void)0 : ::sz::assertion_failed(__FILE__, __LINE__, #condition))
