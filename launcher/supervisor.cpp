#include "supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "exit_code.h"

namespace sz::launch {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFindEvery{50};    // while ranks have yet to say their pid
constexpr milliseconds kGrace{4000};      // for the other ranks, once one has failed
constexpr milliseconds kNextPush{2000};   // from killing the ranks to asking mpirun, and on to killing it
constexpr milliseconds kReap{1000};
constexpr milliseconds kOneRequest{500};  // signals to stop that come together

void write_all(int fd, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t n = write(fd, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (n <= 0) return;  // nobody reads any more: the run goes on
    bytes += n;
    count -= n;
  }
}

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

bool readable(const pollfd& entry) { return (entry.revents & (POLLIN | POLLHUP | POLLERR)) != 0; }

}  // namespace

Supervisor::Supervisor(int ranks, const StatusFolder& status, bool filter_notices)
    : ranks_(ranks), status_(status), filter_notices_(filter_notices) {
  sigset_t handled;
  sigemptyset(&handled);
  for (int number : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&handled, number);
  if (!is_ignored(SIGHUP)) sigaddset(&handled, SIGHUP);
  sigprocmask(SIG_BLOCK, &handled, nullptr);
  signals_ = Fd(signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Ending Supervisor::supervise(Child mpirun) {
  mpirun_ = std::move(mpirun);
  for (Fd* pipe : {&mpirun_.out, &mpirun_.err}) fcntl(pipe->get(), F_SETFL, O_NONBLOCK);
  while (!mpirun_ended_) poll_once();
  end_all();
  drain();
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    ending_.reports.push_back(status_.report(rank));
    ending_.ends.push_back(status_.end(rank));
  }
  return std::move(ending_);
}

void Supervisor::poll_once() {
  find_ranks();
  std::vector<pollfd> entries = {{mpirun_.pidfd.get(), POLLIN, 0},
                                 {mpirun_.out.get(), POLLIN, 0},
                                 {mpirun_.err.get(), POLLIN, 0},
                                 {signals_.get(), POLLIN, 0}};
  const std::size_t first_rank = entries.size();
  for (const Rank& rank : ranks_) {
    const bool watched = rank.found && !rank.ended;
    entries.push_back({watched ? rank.keeper.get() : -1, POLLIN, 0});
  }
  poll(entries.data(), entries.size(), poll_timeout());
  if (readable(entries[1])) pass(mpirun_.out, STDOUT_FILENO);
  if (readable(entries[2])) pass(mpirun_.err, STDERR_FILENO);
  if (readable(entries[3])) on_signals();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (readable(entries[first_rank + rank])) on_rank_end(static_cast<int>(rank));
  }
  if (deadline_ && Clock::now() >= *deadline_) on_deadline();
  if (readable(entries[0]) && waitpid(mpirun_.pid, &ending_.mpirun_status, 0) == mpirun_.pid) mpirun_ended_ = true;
}

int Supervisor::poll_timeout() const {
  if (!all_found()) return static_cast<int>(kFindEvery.count());
  if (!deadline_) return -1;
  const auto left = std::chrono::duration_cast<milliseconds>(*deadline_ - Clock::now());
  return std::max(0, static_cast<int>(left.count()) + 1);
}

bool Supervisor::all_found() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.found; });
}

void Supervisor::find_ranks() {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (ranks_[rank].found) continue;
    const auto pids = status_.pids(rank);
    if (!pids) continue;
    ranks_[rank].found = true;
    ranks_[rank].keeper = open_pidfd(pids->keeper);
    ranks_[rank].worker = open_pidfd(pids->worker);
    if (!ranks_[rank].keeper) on_rank_end(rank);
    if (ending_.stop_signal != 0) send_signal(ranks_[rank].worker, ending_.forced ? SIGKILL : SIGTERM);
  }
}

void Supervisor::on_rank_end(int rank) {
  ranks_[rank].ended = true;
  if (patience_ != Patience::kWait || ending_.forced) return;  // by our own hand
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  ending_.ended.push_back({rank, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()});
  const auto report = status_.report(rank);
  const bool well = report && (report->code == kDone || report->code == kInterrupted || report->code == kTerminated);
  if (!well && !deadline_) deadline_ = Clock::now() + kGrace;
}

void Supervisor::on_signals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGUSR1) {
      ask_to_save();
    } else {
      on_stop(info.ssi_signo == SIGINT ? SIGINT : SIGTERM);
    }
  }
}

void Supervisor::on_stop(int signal) {
  if (ending_.stop_signal == 0) {
    ending_.stop_signal = signal;
    stopped_at_ = Clock::now();
    std::fprintf(stderr, "\nszlaunch: stopping once the ranks have saved what they have (once more to kill them)\n");
    signal_ranks(SIGTERM);
  } else if (Clock::now() - stopped_at_ >= kOneRequest) {
    ending_.forced = true;
    signal_ranks(SIGKILL);
    deadline_ = Clock::now();
  }
}

void Supervisor::ask_to_save() {
  const auto living = std::find_if(ranks_.begin(), ranks_.end(), [](const Rank& r) { return r.found && !r.ended; });
  if (living != ranks_.end()) send_signal(living->worker, SIGUSR1);
}

void Supervisor::on_deadline() {
  if (patience_ == Patience::kWait) {
    patience_ = Patience::kRanksKilled;
    signal_ranks(SIGKILL);
  } else if (patience_ == Patience::kRanksKilled) {
    patience_ = Patience::kMpirunAsked;
    send_signal(mpirun_.pidfd, SIGTERM);
  } else {
    ending_.mpirun_killed = true;
    send_signal(mpirun_.pidfd, SIGKILL);
  }
  deadline_ = Clock::now() + kNextPush;
}

void Supervisor::signal_ranks(int signal) {
  for (Rank& rank : ranks_) {
    if (rank.found && !rank.ended) send_signal(rank.worker, signal);
  }
}

void Supervisor::pass(Fd& from, int to) {
  char buffer[65536];
  const ssize_t n = read(from.get(), buffer, sizeof buffer);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    from.close();
    return;
  }
  if (to == STDERR_FILENO && filter_notices_) {
    const std::string show = filter_.pass(buffer, n);
    write_all(to, show.data(), show.size());
    return;
  }
  write_all(to, buffer, n);
}

// After the end: what is still in the pipes, without waiting for anybody who holds them open.
void Supervisor::drain() {
  for (auto [pipe, to] : {std::pair{&mpirun_.out, STDOUT_FILENO}, std::pair{&mpirun_.err, STDERR_FILENO}}) {
    for (pollfd ready{pipe->get(), POLLIN, 0}; *pipe && poll(&ready, 1, 0) > 0;) pass(*pipe, to);
  }
  const std::string rest = filter_.finish();
  write_all(STDERR_FILENO, rest.data(), rest.size());
}

// mpirun is gone: whatever it left is killed and reaped, ranks and their children alike (orphans become ours).
void Supervisor::end_all() {
  find_ranks();
  signal_ranks(SIGKILL);
  const auto until = Clock::now() + kReap;
  while (Clock::now() < until) {
    for (pid_t pid : children()) kill(pid, SIGKILL);
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0) return;  // no child is left
    if (reaped == 0) usleep(10'000);
  }
}

}  // namespace sz::launch
