// Processes, file descriptors and executables. All calls on the main thread: szlaunch has no other.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sz::launch {

using Arguments = std::vector<std::string>;

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

// A running child whose output comes through pipes.
struct Child {
  pid_t pid = -1;
  Fd pidfd;  // readable once the child has ended
  Fd out;
  Fd err;
};

// Starts a program in a process group of its own (a terminal's Ctrl-C does not reach it), with /dev/null as standard
// input. It gets SIGTERM if szlaunch dies. An executable that cannot be started ends the child with code 127.
Child spawn(const Arguments& arguments);

// Replaces this process; on failure says why and returns an exit code.
int exec(const Arguments& arguments);

// Waits until the child has ended, at most timeout_ms; its wait status, or nothing if time ran out.
std::optional<int> wait_for(const Child& child, int timeout_ms);

// Reads what is left in a pipe.
std::string read_all(const Fd& fd);

// A process by pid as a descriptor that stays its own even when the pid is used again. Empty if it is gone.
Fd open_pidfd(pid_t pid);
void send_signal(const Fd& pidfd, int signal);

// The children of this process, orphans that it adopted among them.
std::vector<pid_t> children();

// Absolute path of szlaunch's own executable, and its folder.
std::string own_path();
std::string own_folder();

// NAME in szlaunch's own folder, else on PATH.
std::optional<std::string> find_executable(const std::string& name);
std::optional<std::string> find_on_path(const std::string& name);

// szworker: $SZ_WORKER, else beside szlaunch, else on PATH. Says what is wrong where there is none.
std::optional<std::string> find_worker();

// Sets an environment variable unless the user has.
void default_environment(const char* name, const std::string& value);

}  // namespace sz::launch
