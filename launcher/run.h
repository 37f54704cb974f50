// `szlaunch run`: starts the ranks, watches over them, and says how it ended.
#pragma once
#include <string>
#include <vector>

namespace sz::launch {

struct RunOptions {
  std::string config;
  int ranks = 1;
  std::vector<std::string> sets;  // key=value, handed on to the worker, which checks the keys
  std::string resume;             // "auto", a checkpoint's path, or empty
  bool verbose = false;           // show the mpirun command, and all that mpirun says
};

// The exit code of the run.
int run(const RunOptions& options);

}  // namespace sz::launch
