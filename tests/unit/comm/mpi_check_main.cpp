// Run under mpirun by run_mpi_check.sh: the MPI communicator against ranks as threads, and how it ends
// when a rank gives up, disagrees or leaves early. Prints what it found; exits 7 after an abort.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "comm/communicator.h"
#include "unit/comm/collective_cases.h"

namespace sz {
namespace {

using namespace test;

// Exits 1 with a line for each case whose bytes are not those of thread ranks.
int check_collectives(Communicator& comm) {
  const std::vector<CaseResult> of_mpi = run_cases(comm);
  std::vector<CaseResult> of_threads;
  std::mutex mutex;
  const auto body = [&](Communicator& thread) {
    std::vector<CaseResult> results = run_cases(thread);
    const std::lock_guard lock(mutex);
    if (thread.rank() == 0) of_threads = std::move(results);
  };
  run_thread_ranks(comm.size(), body, case_options());
  if (of_mpi.size() != of_threads.size()) throw std::logic_error("not the same number of cases");
  int different = 0;
  for (size_t i = 0; i < of_mpi.size(); ++i) {
    if (of_mpi[i].output == of_threads[i].output) continue;
    std::printf("rank %d: %s differs between MPI and threads\n", comm.rank(), of_mpi[i].name.c_str());
    ++different;
  }
  std::printf("rank %d of %d: %zu cases, %d differ\n", comm.rank(), comm.size(), of_mpi.size(), different);
  return different == 0 ? 0 : 1;
}

// The last rank gives up while the others are in the middle of a long sum, with more enqueued.
int check_abort(Communicator& comm) {
  std::vector<float> data(4 << 20);
  const WorkPtr sum = comm.all_reduce(Channel::kReduce, data.data(), data.size(), DType::kF32);
  if (comm.rank() == comm.size() - 1) comm.abort("the test asks for it");
  sum->wait();
  comm.barrier(Channel::kScalar)->wait();
  return 0;
}

int check_mismatch(Communicator& comm) {
  std::vector<float> data(10);
  if (comm.rank() == 0) {
    comm.all_reduce(Channel::kData, data.data(), data.size(), DType::kF32)->wait();
  } else {
    comm.broadcast(Channel::kData, data.data(), 5, 0)->wait();
  }
  return 0;
}

// The last rank returns without the barrier that the others are in.
int check_departed(Communicator& comm) {
  if (comm.rank() != comm.size() - 1) comm.barrier(Channel::kScalar)->wait();
  return 0;
}

int check_timeout(Communicator& comm) {
  if (comm.rank() != comm.size() - 1) comm.barrier(Channel::kScalar)->wait();
  while (!comm.aborted()) usleep(1000);
  throw Error(Exit::kComm, "heard of: " + comm.aborted()->reason);
}

// The last rank dies without a word: mpirun ends the others.
int check_lost(Communicator& comm) {
  comm.barrier(Channel::kScalar)->wait();
  if (comm.rank() == comm.size() - 1) std::raise(SIGKILL);
  comm.barrier(Channel::kScalar)->wait();
  return 0;
}

int check_throw(Communicator& comm) {
  if (comm.rank() == comm.size() - 1) throw std::runtime_error("an exception that nobody told of");
  comm.barrier(Channel::kScalar)->wait();
  return 0;
}

using Check = std::function<int(Communicator&)>;

int run(const std::string& name, const Check& check) {
  try {
    CommOptions options = case_options();
    if (name == "timeout") options.timeout_s = 0.5;
    const auto comm = make_mpi_communicator(options);
    int code = 0;
    try {
      code = check(*comm);
    } catch (const Error& error) {
      std::printf("rank %d ends: %s\n", comm->rank(), error.what());
      std::fflush(stdout);
      code = 1;  // not reached after an abort: the destructor exits 7
    }
    return code;
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace sz

int main(int argc, char** argv) {
  const std::map<std::string, sz::Check> checks = {
      {"collectives", sz::check_collectives}, {"abort", sz::check_abort},     {"mismatch", sz::check_mismatch},
      {"departed", sz::check_departed},       {"timeout", sz::check_timeout}, {"lost", sz::check_lost},
      {"throw", sz::check_throw},
  };
  const auto check = argc == 2 ? checks.find(argv[1]) : checks.end();
  if (check == checks.end()) {
    std::fprintf(stderr, "usage: mpi_check collectives|abort|mismatch|departed|timeout|lost|throw\n");
    return 2;
  }
  return sz::run(check->first, check->second);
}
