#include "outcome.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>

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

std::string account(const Ending& ending, int rank) {
  const Report& report = *ending.reports[rank];
  const std::string kind = " (exit code " + std::to_string(report.code) + ": " + meaning(report.code) + ")";
  const char* const wordless = is_stop(report.code) ? " stopped" : " failed";
  return name_of(rank) + (report.message.empty() ? wordless : ": " + report.message) + kind;
}

Outcome from_report(const Ending& ending, int rank) { return {ending.reports[rank]->code, account(ending, rank)}; }

// The first error, and those of other ranks that aren't the same.
Outcome from_own_errors(const Ending& ending, int first) {
  Outcome outcome = from_report(ending, first);
  std::set<std::string> told = {ending.reports[first]->message};
  for (int rank = 0; rank < static_cast<int>(ending.reports.size()); ++rank) {
    const auto& report = ending.reports[rank];
    if (!report || !is_own_error(report->code) || !told.insert(report->message).second) continue;
    outcome.message += "\nszlaunch: " + account(ending, rank);
  }
  return outcome;
}

// Whether an earlier failure or stop of another rank ended this one, which made no report: MPI_Abort kills.
bool was_ended_by_another(const Ending& ending, const Ended& ended) {
  const auto& end = ending.ends[ended.rank];
  const auto first = first_report(ending, [](int code) { return code != kDone; });
  return first && ending.reports[*first]->written_ns <= (end ? end->written_ns : ended.seen_ns);
}

// Whether the request to stop ended a rank that had no handler for it yet.
bool was_stopped_early(const Ending& ending, int rank) {
  const auto& end = ending.ends[rank];
  return ending.stop_signal != 0 && end && end->by_signal && end->number == SIGTERM;
}

// The first rank that ended without a report and of itself.
std::optional<int> lost_rank(const Ending& ending) {
  for (const Ended& ended : ending.ended) {
    const bool told = ending.reports[ended.rank].has_value();
    if (!told && !was_ended_by_another(ending, ended) && !was_stopped_early(ending, ended.rank)) return ended.rank;
  }
  return std::nullopt;
}

Outcome from_lost_rank(const Ending& ending, int rank) {
  const auto& end = ending.ends[rank];
  if (end && end->out_of_memory) {
    return {kExhausted, name_of(rank) + " was killed by signal 9: the kernel ran out of memory in its control group, "
                            "limit " + end->memory_limit + "; raise the limit, start fewer ranks in it, lower "
                            "train.micro_batch, or turn on a plugin that recomputes or shards"};
  }
  if (end && end->by_signal) return {kPeerLost, name_of(rank) + " was killed by " + signal_text(end->number)};
  if (!end || end->number == 0) return {kPeerLost, name_of(rank) + " was lost: it ended without a report"};
  // It ended by itself before the runtime could report, such as in the loader: its own words are on the screen.
  const bool ours = end->number >= kInternal && end->number <= kExhausted;
  return {ours ? end->number : kPeerLost, name_of(rank) + " ended with exit code " + std::to_string(end->number) +
                                              " without a report; the lines above say why"};
}

// A stop that saved says so, and is all ranks' since they save together; any other says what became of the run.
std::string stop_text(const Ending& ending) {
  if (const auto rank = first_report(ending, is_stop)) {
    const std::string& message = ending.reports[*rank]->message;
    if (message.find("state saved") != std::string::npos) return "; the ranks saved their state";
    return message.empty() ? "" : "; " + message;
  }
  for (const Ended& ended : ending.ended) {
    if (was_stopped_early(ending, ended.rank)) return " before training began";
  }
  return "";
}

Outcome from_stop(const Ending& ending) {
  const bool interrupted = ending.stop_signal == SIGINT;
  const int code = interrupted ? kInterrupted : kTerminated;
  const std::string what = interrupted ? "interrupted (SIGINT)" : "asked to stop (SIGTERM)";
  if (ending.forced) return {code, what + " twice: the ranks were killed, and what they had not saved is lost"};
  return {code, what + stop_text(ending)};
}

bool all_done(const Ending& ending) {
  return std::all_of(ending.reports.begin(), ending.reports.end(), [](const auto& r) { return r && r->code == kDone; });
}

Outcome from_mpirun(const Ending& ending) {
  if (WIFSIGNALED(ending.mpirun_status)) {
    return {kPeerLost, "mpirun, and all ranks with it, was killed by " + signal_text(WTERMSIG(ending.mpirun_status))};
  }
  return {kPeerLost, "mpirun failed with exit code " + std::to_string(WEXITSTATUS(ending.mpirun_status)), false};
}

}  // namespace

Outcome decide(const Ending& ending) {
  if (auto rank = first_report(ending, is_own_error)) return from_own_errors(ending, *rank);
  if (ending.forced) return from_stop(ending);
  const bool mpirun_died = WIFSIGNALED(ending.mpirun_status) && !ending.mpirun_killed;
  if (mpirun_died) return from_mpirun(ending);
  if (auto rank = lost_rank(ending)) return from_lost_rank(ending, *rank);
  const auto first = first_report(ending, [](int code) { return code != kDone; });
  if (first && ending.reports[*first]->code == kPeerLost) return from_report(ending, *first);
  if (ending.stop_signal != 0 && all_done(ending)) return {kDone, "the run was done before it could stop"};
  if (ending.stop_signal != 0) return from_stop(ending);
  // A stop that somebody else asked the ranks for, such as a batch system.
  if (first) return from_report(ending, *first);
  if (ending.mpirun_status != 0) return from_mpirun(ending);
  return {};
}

}  // namespace sz::launch
