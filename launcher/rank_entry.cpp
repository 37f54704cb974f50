#include "rank_entry.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "exit_code.h"
#include "memory_kills.h"
#include "status_folder.h"

namespace sz::launch {

namespace {

int wait_for_end(pid_t worker) {
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

int enter_rank(const Arguments& worker) {
  const char* folder = std::getenv("SZ_STATUS_DIR");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!folder || !rank || worker.empty()) {
    std::fprintf(stderr, "szlaunch: rank-entry is for mpirun; use `szlaunch run`\n");
    return kUsage;
  }
  const std::string base = folder;
  prctl(PR_SET_PDEATHSIG, SIGKILL);

  const MemoryKills kills;
  const pid_t keeper = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    std::perror("szlaunch: cannot start a rank");
    return kExhausted;
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(kPeerLost);  // it died in between
    signal(SIGUSR1, SIG_IGN);                   // until the worker listens, there is nothing to save
    _exit(exec(worker));
  }
  // mpirun signals the process group: that is for the worker, which may take its time.
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) signal(number, SIG_IGN);
  write_status(base + "/pid-" + rank, std::to_string(keeper) + " " + std::to_string(pid) + "\n");

  const int status = wait_for_end(pid);
  const bool by_signal = WIFSIGNALED(status);
  const int number = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  std::string end = (by_signal ? "signal " : "exit ") + std::to_string(number) + "\n";
  if (by_signal && number == SIGKILL && kills.any()) end += "out_of_memory " + kills.limit() + "\n";
  write_status(base + "/end-" + rank, end);
  return by_signal ? 128 + number : number;
}

}  // namespace sz::launch
