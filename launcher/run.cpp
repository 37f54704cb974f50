#include "run.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "exit_code.h"
#include "mpirun.h"
#include "outcome.h"
#include "process.h"
#include "status_folder.h"
#include "supervisor.h"

namespace sz::launch {

namespace {

Arguments worker_command(const std::string& worker, const RunOptions& options) {
  Arguments command = {worker, "run", options.config};
  for (const std::string& set : options.sets) command.insert(command.end(), {"--set", set});
  if (!options.resume.empty()) command.insert(command.end(), {"--resume", options.resume});
  return command;
}

// What ranks cannot see by themselves: that somebody watches the other end of their pipe. How many threads they take is
// theirs to say: mpirun tells them how many share their machine, whose cores and quota only they can see.
void prepare_environment() {
  if (isatty(STDERR_FILENO)) default_environment("SZ_PROGRESS", "tty");
}

bool config_is_there(const std::string& config) {
  std::error_code error;
  if (std::filesystem::is_regular_file(config, error)) return true;
  std::fprintf(stderr, "szlaunch: there is no file %s; give the path of a run's configuration (examples: configs/)\n",
               config.c_str());
  return false;
}

void print_command(const Arguments& command) {
  for (const std::string& word : command) std::fprintf(stderr, "%s ", word.c_str());
  std::fprintf(stderr, "\n");
}

int run_ranks(const std::string& mpirun, const std::string& worker, const RunOptions& options) {
  StatusFolder status;
  TemporaryFolder shared_memory("/dev/shm");
  setenv("SZ_STATUS_DIR", status.path().c_str(), 1);
  prepare_mpirun_environment();

  Arguments rank = worker_command(worker, options);
  rank.insert(rank.begin(), {own_path(), "rank-entry"});
  const Arguments command = mpirun_command(mpirun, options.ranks, {status.path(), shared_memory.path()}, rank);
  if (options.verbose) print_command(command);

  Supervisor supervisor(options.ranks, status, !options.verbose);
  Child child = spawn(command);
  if (child.pid < 0 || !child.pidfd) {
    std::perror("szlaunch: cannot start mpirun");
    return kExhausted;
  }
  const Outcome outcome = decide(supervisor.supervise(std::move(child)));
  if (!outcome.explained) std::fputs(supervisor.notices().c_str(), stderr);
  if (!outcome.message.empty()) std::fprintf(stderr, "szlaunch: %s\n", outcome.message.c_str());
  return outcome.code;
}

}  // namespace

int run(const RunOptions& options) {
  if (!config_is_there(options.config)) return kUsage;
  const auto worker = find_worker();
  if (!worker) return kUsage;
  prepare_environment();
  signal(SIGUSR1, SIG_IGN);  // until somebody listens, there is nothing to save; a worker in our place inherits it
  if (options.ranks == 1) return exec(worker_command(*worker, options));

  const auto mpirun = find_on_path("mpirun");
  if (!mpirun) {
    std::fprintf(stderr,
                 "szlaunch: -n %d needs mpirun, which is not on PATH; install Open MPI (Debian: apt-get install "
                 "openmpi-bin), or train with -n 1\n",
                 options.ranks);
    return kPeerLost;
  }
  try {
    return run_ranks(*mpirun, *worker, options);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "szlaunch: %s\n", error.what());
    return kExhausted;
  }
}

}  // namespace sz::launch
