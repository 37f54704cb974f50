// Watches over mpirun and its ranks until all have ended, and leaves nothing running.
//
// - Ranks' output passes through as it comes.
// - Once a rank is lost or fails, the others have some seconds to end by themselves; then they are killed, and mpirun
//   after them.
// - SIGTERM, SIGINT and SIGHUP (unless it was ignored, as by nohup) are passed on to the ranks as SIGTERM, directly and
//   not by way of mpirun, which would kill them after two seconds: they may take their time to save. A second one,
//   half a second later or more, kills; those that come sooner are the same request, sent to many processes at once.
// - SIGUSR1 (save now) is passed on to one rank, which asks for all: to more of them would be to save twice.
// - If mpirun dies, its ranks do too.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "mpirun.h"
#include "outcome.h"
#include "process.h"
#include "status_folder.h"

namespace sz::launch {

class Supervisor {
 public:
  // Blocks the signals that it handles, and adopts orphans; from here on for the whole process.
  Supervisor(int ranks, const StatusFolder& status, bool filter_notices);

  // Runs mpirun to its end.
  Ending supervise(Child mpirun);

  // All that mpirun said that wasn't shown.
  const std::string& notices() const { return filter_.notices(); }

 private:
  struct Rank {
    Fd keeper;  // ends after the worker, once it has said how that ended
    Fd worker;
    bool found = false;
    bool ended = false;
  };
  enum class Patience { kWait, kRanksKilled, kMpirunAsked };  // how far a run that should end was pushed
  using Clock = std::chrono::steady_clock;

  void find_ranks();
  void on_rank_end(int rank);
  void on_signals();
  void on_stop(int signal);
  void ask_to_save();
  void on_deadline();
  void poll_once();
  int poll_timeout() const;
  bool all_found() const;
  void pass(Fd& from, int to);
  void signal_ranks(int signal);
  void drain();
  void end_all();

  std::vector<Rank> ranks_;
  const StatusFolder& status_;
  const bool filter_notices_;
  NoticeFilter filter_;
  Child mpirun_;
  Fd signals_;
  Ending ending_;
  Clock::time_point stopped_at_;
  bool mpirun_ended_ = false;
  Patience patience_ = Patience::kWait;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace sz::launch
