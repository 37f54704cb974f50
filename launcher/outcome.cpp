#include "outcome.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <algorithm>

#include "exit_code.h"

namespace sz::launch {

namespace {

bool is_stop(int code) { return code == kInterrupted || code == kTerminated; }
bool is_own_error(int code) { return code != kDone && code != kPeerLost && !is_stop(code); }

std::string name_of(int rank) { return "rank " + std::to_string(rank); }

std::string signal_text(int number) {
  std::string text = "signal " + std::to_string(number);
  if (const char* description = sigdescr_np(number)) text += std::string(" (") + description + ")";
  if (number == SIGKILL) text += "; often the kernel does this when memory runs out, see `dmesg`";
  return text;
}

// The rank that reported first among those whose code satisfies `wanted`.
template <class Wanted>
std::optional<int> first_report(const Ending& ending, Wanted wanted) {
  std::optional<int> first;
  for (int rank = 0; rank < static_cast<int>(ending.reports.size()); ++rank) {
    const auto& report = ending.reports[rank];
    if (!report || !wanted(report->code)) continue;
    if (!first || report->written_ns < ending.reports[*first]->written_ns) first = rank;
  }
  return first;
}

Outcome from_report(const Ending& ending, int rank) {
  const Report& report = *ending.reports[rank];
  const std::string kind = "exit code " + std::to_string(report.code) + ": " + meaning(report.code);
  if (report.message.empty()) return {report.code, name_of(rank) + " failed (" + kind + ")"};
  return {report.code, name_of(rank) + ": " + report.message + " (" + kind + ")"};
}

// The rank that ended without a report before any other failed.
std::optional<int> lost_rank(const Ending& ending) {
  for (int rank : ending.ended) {
    if (!ending.reports[rank]) return rank;
    if (ending.reports[rank]->code != kDone) return std::nullopt;
  }
  return std::nullopt;
}

Outcome from_lost_rank(const Ending& ending, int rank) {
  const auto& end = ending.ends[rank];
  if (end && end->by_signal) return {kPeerLost, name_of(rank) + " was killed by " + signal_text(end->number)};
  if (!end || end->number == 0) return {kPeerLost, name_of(rank) + " was lost: it ended without a report"};
  // It ended by itself before the runtime could report, such as in the loader: its own words are on the screen.
  const bool ours = end->number >= kInternal && end->number <= kExhausted;
  return {ours ? end->number : kPeerLost, name_of(rank) + " ended with exit code " + std::to_string(end->number) +
                                              " without a report; the lines above say why"};
}

Outcome from_stop(const Ending& ending) {
  const bool interrupted = ending.stop_signal == SIGINT;
  const int code = interrupted ? kInterrupted : kTerminated;
  const std::string what = interrupted ? "interrupted (SIGINT)" : "asked to stop (SIGTERM)";
  const bool saved = first_report(ending, is_stop).has_value();
  if (ending.forced) return {code, what + " twice: the ranks were killed, and the last checkpoint is what remains"};
  return {code, what + (saved ? "; the ranks saved their state" : "")};
}

Outcome from_mpirun(const Ending& ending) {
  if (WIFSIGNALED(ending.mpirun_status)) {
    return {kPeerLost, "mpirun, and all ranks with it, was killed by " + signal_text(WTERMSIG(ending.mpirun_status))};
  }
  return {kPeerLost, "mpirun failed with exit code " + std::to_string(WEXITSTATUS(ending.mpirun_status)), false};
}

}  // namespace

Outcome decide(const Ending& ending) {
  if (auto rank = first_report(ending, is_own_error)) return from_report(ending, *rank);
  if (ending.forced) return from_stop(ending);
  const bool mpirun_died = WIFSIGNALED(ending.mpirun_status) && !ending.mpirun_killed;
  if (mpirun_died) return from_mpirun(ending);
  if (auto rank = lost_rank(ending)) return from_lost_rank(ending, *rank);
  if (auto rank = first_report(ending, [](int code) { return code == kPeerLost; })) return from_report(ending, *rank);
  if (ending.stop_signal != 0) return from_stop(ending);
  // A stop that somebody else asked the ranks for, such as a batch system.
  if (auto rank = first_report(ending, is_stop)) return from_report(ending, *rank);
  if (ending.mpirun_status != 0) return from_mpirun(ending);
  return {};
}

}  // namespace sz::launch
