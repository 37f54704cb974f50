#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exit_code.h"

namespace sz::launch {

namespace {

std::vector<char*> c_arguments(const Arguments& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void run_child(const Arguments& arguments, int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execv(arguments[0].c_str(), c_arguments(arguments).data());
  std::fprintf(stderr, "szlaunch: cannot run %s: %s\n", arguments[0].c_str(), std::strerror(errno));
  _exit(127);
}

bool is_executable(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

void Fd::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Child spawn(const Arguments& arguments) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return {};
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid == 0) run_child(arguments, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  Child child;
  child.pid = pid;
  child.out = Fd(out[0]);
  child.err = Fd(err[0]);
  if (pid > 0) child.pidfd = open_pidfd(pid);
  return child;
}

int exec(const Arguments& arguments) {
  std::fflush(nullptr);
  execv(arguments[0].c_str(), c_arguments(arguments).data());
  std::fprintf(stderr, "szlaunch: cannot run %s: %s\n", arguments[0].c_str(), std::strerror(errno));
  return kUsage;
}

std::optional<int> wait_for(const Child& child, int timeout_ms) {
  pollfd ended{child.pidfd.get(), POLLIN, 0};
  if (poll(&ended, 1, timeout_ms) <= 0) return std::nullopt;
  int status = 0;
  if (waitpid(child.pid, &status, 0) != child.pid) return std::nullopt;
  return status;
}

std::string read_all(const Fd& fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, n);
  return text;
}

Fd open_pidfd(pid_t pid) { return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

void send_signal(const Fd& pidfd, int signal) {
  if (pidfd) syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0);
}

std::vector<pid_t> children() {
  const std::string self = std::to_string(getpid());
  std::ifstream file("/proc/self/task/" + self + "/children");
  std::vector<pid_t> pids;
  for (pid_t pid; file >> pid;) pids.push_back(pid);
  return pids;
}

std::string own_path() {
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, n) : "szlaunch";
}

std::string own_folder() { return std::filesystem::path(own_path()).parent_path(); }

std::optional<std::string> find_executable(const std::string& name) {
  std::string beside = own_folder() + "/" + name;
  if (is_executable(beside)) return beside;
  return find_on_path(name);
}

std::optional<std::string> find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable(candidate)) return candidate;
  }
  return std::nullopt;
}

std::optional<std::string> find_worker() {
  if (const char* given = std::getenv("SZ_WORKER")) {
    if (is_executable(given)) return std::filesystem::absolute(given);
    std::fprintf(stderr, "szlaunch: SZ_WORKER=%s is not an executable file\n", given);
    return std::nullopt;
  }
  auto worker = find_executable("szworker");
  if (!worker) {
    std::fprintf(stderr,
                 "szlaunch: szworker is neither beside szlaunch (%s) nor on PATH; build it (scripts/quickstart.sh), "
                 "or name it in SZ_WORKER\n",
                 own_folder().c_str());
  }
  return worker;
}

void default_environment(const char* name, const std::string& value) { setenv(name, value.c_str(), 0); }

}  // namespace sz::launch
