#include "doctor.h"

#include <signal.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "exit_code.h"
#include "mpirun.h"
#include "process.h"

namespace sz::launch {

namespace {

constexpr int kTrialMs = 30'000;

struct Finding {
  bool good = false;
  std::string text;  // what was found, or what to do
};

struct Check {
  const char* name;
  int code;  // exit code if it fails
  std::function<Finding()> look;
};

// Runs a program to its end, within kTrialMs; its output's first line, or what went wrong.
Finding try_program(const Arguments& command) {
  const Child child = spawn(command);
  const auto status = wait_for(child, kTrialMs);
  if (!status) {
    send_signal(child.pidfd, SIGKILL);
    return {false, "did not end within 30 s"};
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) return {false, read_all(child.err)};
  const std::string output = read_all(child.out);
  return {true, output.substr(0, output.find('\n'))};
}

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

Finding look_at_cores() {
  std::ifstream file("/proc/cpuinfo");
  std::string model = "unknown processor";
  bool avx2 = false;
  for (std::string line; std::getline(file, line);) {
    const std::string value = line.substr(line.find(':') + 1);
    if (line.rfind("model name", 0) == 0) model = value.substr(1);
    if (line.rfind("flags", 0) == 0) avx2 = value.find(" avx2") != std::string::npos;
  }
  const std::string text = std::to_string(available_cores()) + " cores, " + model;
  if (!avx2) return {true, text + "; without AVX2, training will be slow"};
  return {true, text};
}

Finding look_at_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("MemAvailable:", 0) != 0) continue;
    std::istringstream number(line.substr(13));
    double kib = 0;
    number >> kib;
    const std::string text = gibibytes(kib * 1024) + " available";
    return {kib > (1 << 20), kib > (1 << 20) ? text : text + "; even a small run wants 1 GiB"};
  }
  return {false, "/proc/meminfo cannot be read"};
}

Finding look_at_shared_memory() {
  struct statvfs information {};
  if (statvfs("/dev/shm", &information) != 0) return {false, "no /dev/shm; ranks on one machine talk through it"};
  const double free = static_cast<double>(information.f_bavail) * static_cast<double>(information.f_frsize);
  const bool enough = free > (32 << 20);
  const std::string text = gibibytes(free) + " free in /dev/shm";
  return {enough, enough ? text : text + "; ranks need 32 MiB of it (docker: --shm-size)"};
}

Finding look_at_worker() {
  const auto worker = find_worker();
  if (!worker) return {false, "build it with scripts/quickstart.sh"};
  const Finding trial = try_program({*worker, "--help"});  // loads LibTorch and all other libraries
  return {trial.good, *worker + (trial.good ? " starts" : " does not start: " + trial.text)};
}

Finding look_at_mpirun() {
  const auto mpirun = find_on_path("mpirun");
  if (!mpirun) return {false, "not on PATH; Debian: apt-get install openmpi-bin (one rank, -n 1, needs none)"};
  const Finding version = try_program({*mpirun, "--version"});
  prepare_mpirun_environment();
  const auto hello = find_on_path("true");
  const Finding trial = try_program(mpirun_command(*mpirun, 2, {}, {hello.value_or("/bin/true")}));
  if (!trial.good) return {false, *mpirun + " cannot start two processes: " + trial.text};
  return {true, version.text + ", started two processes"};
}

Finding look_at_folder() {
  const bool good = access(".", W_OK) == 0;
  return {good, good ? "run folders can be written here" : "cannot write here; set run.out to another folder"};
}

}  // namespace

int doctor() {
  const Check checks[] = {
      {"processor", kInternal, look_at_cores},
      {"memory", kExhausted, look_at_memory},
      {"shared memory", kExhausted, look_at_shared_memory},
      {"folder", kExhausted, look_at_folder},
      {"szworker", kUsage, look_at_worker},
      {"mpirun", kPeerLost, look_at_mpirun},
  };
  int code = kDone;
  for (const Check& check : checks) {
    const Finding finding = check.look();
    std::printf("%-5s %-14s %s\n", finding.good ? "ok" : "FAIL", check.name, finding.text.c_str());
    if (!finding.good && code == kDone) code = check.code;
  }
  return code;
}

}  // namespace sz::launch
