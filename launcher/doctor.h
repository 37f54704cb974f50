// `szlaunch doctor`: tries, on this machine, what a run will need.
#pragma once

namespace sz::launch {

// Prints a line a check; 0, or the exit code of the first that failed.
int doctor();

}  // namespace sz::launch
