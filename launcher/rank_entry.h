// `szlaunch rank-entry WORKER ARGUMENT...`: what mpirun starts as each rank.
//
// It runs the worker as its child and keeps to itself but for three things: it says both process ids, it says how the
// worker ended (mpirun would not tell), and it lets no worker outlive its mpirun, even one killed with SIGKILL.
#pragma once
#include "process.h"

namespace sz::launch {

// The worker's exit code; 128 + number if a signal ended it.
int enter_rank(const Arguments& worker);

}  // namespace sz::launch
