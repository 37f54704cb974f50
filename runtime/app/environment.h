// What the launcher and mpirun tell a worker through its environment, and what the worker tells them back.
#pragma once
#include <string>

namespace sz {

struct LaunchInfo {
  int rank = 0, ranks = 1;  // by mpirun's environment, known before MPI is initialised
  bool under_mpi = false;
};
LaunchInfo launch_info();

// Threads of a rank: `asked` where > 0, else OMP_NUM_THREADS, else its share of the physical cores that this process
// may use within the quota of its control group (base/cpu.h).
int threads_of_rank(int asked, const LaunchInfo& launch);
// Of all ranks on this host together: what one of them may use while the others wait for it.
int threads_of_host(int asked, const LaunchInfo& launch);

// Writes $SZ_STATUS_DIR/rank-N, from which the launcher learns how this rank ended; nothing without one. The launcher
// shows the message, once for all ranks that have the same: from then on this one's go to its log alone, not to stderr.
// The first message stands; what is told after it is a consequence. Thread: any.
void report_exit(int rank, int code, const std::string& message);

}  // namespace sz
