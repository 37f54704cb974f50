#include "doctor.h"

#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "exit_code.h"
#include "mpirun.h"
#include "process.h"
#include "system_checks.h"

namespace sz::launch {

namespace {

constexpr int kTrialMs = 60'000;

struct Check {
  const char* name;
  int code;  // exit code if it fails
  std::function<Finding()> look;
};

struct Trial {
  bool good = false;
  std::string output;  // or what went wrong
};

std::string without_end_of_line(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

// Runs a program to its end, within kTrialMs.
Trial try_program(const Arguments& command) {
  const Child child = spawn(command);
  const auto status = wait_for(child, kTrialMs);
  if (!status) {
    send_signal(child.pidfd, SIGKILL);
    return {false, "did not end within " + std::to_string(kTrialMs / 1000) + " s"};
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    return {false, without_end_of_line(read_all(child.err))};
  }
  return {true, read_all(child.out)};
}

Finding look_at_mpirun() {
  const auto mpirun = find_on_path("mpirun");
  if (!mpirun) return bad("not on PATH; Debian: apt-get install openmpi-bin (one rank, -n 1, needs none)");
  const std::string version = try_program({*mpirun, "--version"}).output;
  prepare_mpirun_environment();
  const auto hello = find_on_path("true");
  const Trial trial = try_program(mpirun_command(*mpirun, 2, {}, {hello.value_or("/bin/true")}));
  if (!trial.good) return bad(*mpirun + " cannot start two processes: " + trial.output);
  return good(version.substr(0, version.find('\n')) + ", started two processes");
}

// Prints one finding; the exit code is that of the first bad one.
void report(const std::string& name, const Finding& finding, int code_if_bad, int& code) {
  const bool is_bad = finding.state == Finding::State::kBad;
  const char* const state = is_bad ? "FAIL" : finding.state == Finding::State::kNote ? "note" : "ok";
  std::printf("%-5s %-14s %s\n", state, name.c_str(), finding.text.c_str());
  std::fflush(stdout);
  if (is_bad && code == kDone) code = code_if_bad;
}

// The runtime's half: `szworker doctor` prints "state<tab>name<tab>text" lines. To start it at all loads LibTorch.
void report_worker(int& code) {
  const auto worker = find_worker();
  if (!worker) return report("szworker", bad("build it with scripts/quickstart.sh"), kUsage, code);
  const Trial trial = try_program({*worker, "doctor"});
  if (!trial.good) return report("szworker", bad(*worker + " does not start: " + trial.output), kUsage, code);
  report("szworker", good(*worker + " starts"), kUsage, code);
  std::istringstream lines(trial.output);
  for (std::string state, name, text; std::getline(lines, state, '\t') && std::getline(lines, name, '\t') &&
                                      std::getline(lines, text);) {
    report(name, state == "ok" ? good(text) : state == "note" ? note(text) : bad(text), kInternal, code);
  }
}

}  // namespace

int doctor() {
  const Check checks[] = {
      {"memory", kExhausted, look_at_memory},       {"shared memory", kExhausted, look_at_shared_memory},
      {"locked memory", kExhausted, look_at_locked_memory}, {"open files", kExhausted, look_at_open_files},
      {"ports", kPeerLost, look_at_ports},          {"io_uring", kInternal, look_at_io_uring},
      {"folder", kExhausted, look_at_folder},       {"MPI", kPeerLost, look_at_mpirun},
  };
  int code = kDone;
  for (const Check& check : checks) report(check.name, check.look(), check.code, code);
  report_worker(code);
  return code;
}

}  // namespace sz::launch
