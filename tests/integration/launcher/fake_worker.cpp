// A stand-in for szworker: `fake_worker run CONFIG` does what CONFIG says, a line a rank: "RANK ACTION ARGUMENT...".
//
//   exit CODE MESSAGE   reports, then ends
//   silent CODE         ends without a report
//   raise SIGNAL        dies by the signal
//   barrier             waits for all ranks in MPI
//   save                on SIGTERM reports 143 and ends, after half a second of saving; on SIGUSR1 says so and goes on
//   prepare             on SIGTERM reports 143 with nothing saved; then the others are killed, as by MPI_Abort
//   load                has no handlers yet, as while libraries are loaded
//   stubborn            ignores SIGTERM and never ends
//   finish              ends well on SIGTERM, as a run whose last step it was
//   babble              writes to both streams: whole lines, and an unfinished one with a carriage return
//   notice              writes what Open MPI's own daemons write
//
// Each rank says its pid in $FAKE_FOLDER/pid-N once it is about to act. Ranks that aren't mentioned end well.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::atomic<bool> asked_to_stop{false};
std::atomic<bool> asked_to_save{false};

void write_aside(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::ofstream(part) << text;
  std::rename(part.c_str(), path.c_str());
}

void report(int rank, int code, const std::string& message) {
  if (const char* folder = std::getenv("SZ_STATUS_DIR")) {
    write_aside(std::string(folder) + "/rank-" + std::to_string(rank),
                "exit=" + std::to_string(code) + "\n" + message + "\n");
  }
}

[[noreturn]] void report_and_exit(int rank, int code, const std::string& message) {
  report(rank, code, message);
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized && code == 0) MPI_Finalize();
  std::exit(code);
}

// The action of this rank in the configuration; empty if there is none.
std::string read_action(const char* config, int rank) {
  std::ifstream file(config);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int wanted = -1;
    if (words >> wanted && wanted == rank) return line.substr(line.find(' ') + 1);
  }
  return "";
}

void babble(int rank) {
  std::printf("output of rank %d\n", rank);
  std::fflush(stdout);
  for (int i = 1; i <= 3; ++i) std::fprintf(stderr, "\rstep %d", i);
  const std::string dashes(70, '-');
  std::fprintf(stderr, "\n[rank %d] warning\n%s\na sample\n%s\n", rank, dashes.c_str(), dashes.c_str());
}

void wait_for_stop() {
  while (!asked_to_stop) {
    if (asked_to_save.exchange(false)) {
      std::printf("saving on request\n");
      std::fflush(stdout);
    }
    usleep(10'000);
  }
}

// Reports, then ends all ranks by MPI_Abort.
[[noreturn]] void stop_in_preparation(int rank) {
  wait_for_stop();
  report(rank, 143, "data: stopped while preparing; nothing of it is kept");
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized) MPI_Abort(MPI_COMM_WORLD, 7);
  std::exit(143);
}

void act(int rank, const std::string& action) {
  std::istringstream words(action);
  std::string verb, message;
  int number = 0;
  words >> verb >> number;
  std::getline(words >> std::ws, message);
  if (verb == "exit") report_and_exit(rank, number, message);
  if (verb == "silent") _exit(number);
  if (verb == "raise") raise(number);
  if (verb == "barrier") MPI_Barrier(MPI_COMM_WORLD);
  if (verb == "babble") babble(rank);
  if (verb == "stubborn") {
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
  }
  if (verb == "notice") {
    std::fprintf(stderr, "[host:1234] [[40353,0],0] ORTE_ERROR_LOG: Data unpack failed in file show_help.c at line 501\n");
    std::fprintf(stderr, "[host:1234] [[40353,0],0] usock_peer_send_blocking: send() to socket 29 failed\n");
  }
  if (verb == "load") {
    for (;;) pause();
  }
  if (verb == "finish") wait_for_stop();
  if (verb == "prepare") stop_in_preparation(rank);
  if (verb == "save") {
    wait_for_stop();
    usleep(500'000);
    report_and_exit(rank, 143, "stopped by a signal; state saved");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "run") != 0) {  // another verb: say what came
    for (int i = 1; i < argc; ++i) std::printf("%s\n", argv[i]);
    return 0;
  }
  if (argc < 3) return 2;
  signal(SIGTERM, [](int) { asked_to_stop = true; });
  int rank = 0;
  if (std::getenv("OMPI_COMM_WORLD_RANK")) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
  for (int i = 3; i < argc && rank == 0; ++i) std::printf("argument %s\n", argv[i]);
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  if (rank == 0) std::printf("threads %s\n", threads ? threads : "not set");
  const char* const local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (rank == 0) std::printf("ranks here %s\n", local ? local : "not set");
  std::fflush(stdout);
  const std::string action = read_action(argv[2], rank);
  if (action == "stubborn") signal(SIGTERM, SIG_IGN);
  if (action == "load") signal(SIGTERM, SIG_DFL);
  if (action == "save") signal(SIGUSR1, [](int) { asked_to_save = true; });
  if (const char* folder = std::getenv("FAKE_FOLDER")) {
    write_aside(std::string(folder) + "/pid-" + std::to_string(rank), std::to_string(getpid()) + "\n");
  }
  act(rank, action);
  report_and_exit(rank, 0, "");
}
