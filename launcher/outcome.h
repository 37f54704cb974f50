// How a run ended: one exit code and one line that names the cause, out of all that ranks and mpirun said.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "status_folder.h"

namespace sz::launch {

struct Ended {
  int rank = 0;
  long long seen_ns = 0;  // by the clock of Report::written_ns; for a rank whose keeper died with it
};

struct Ending {
  std::vector<std::optional<Report>> reports;  // by rank: its own account
  std::vector<std::optional<RankEnd>> ends;    // by rank: its keeper's account
  std::vector<Ended> ended;                    // ranks in the order of their ends, until szlaunch itself ended any
  int mpirun_status = 0;                       // wait status
  bool mpirun_killed = false;                  // by szlaunch, since it did not end
  int stop_signal = 0;                         // SIGINT or SIGTERM (SIGHUP too) if szlaunch was asked to stop
  bool forced = false;                         // asked twice: ranks were killed
};

struct Outcome {
  int code = 0;
  std::string message;     // empty where the run was done; of several lines where ranks failed apart
  bool explained = true;   // false: mpirun's own text is all there is, and must be shown
};

// A rank's own error (neither 0 nor 7) is the most telling, then a lost rank, then a stop that was asked for. What ranks
// report before another ends is its cause: the first to fail may have ended the others.
Outcome decide(const Ending& ending);

}  // namespace sz::launch
