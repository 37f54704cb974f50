#include "app/score_pass.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/signals.h"

namespace sz {
namespace {

struct Chunk {
  int64_t first;
  std::vector<double> values;
  std::vector<uint32_t> routes;
};

// Runs of samples that the journal lacks, none longer than `most`.
std::vector<std::pair<int64_t, int64_t>> missing(const ScoreJournal& journal, int64_t samples, int64_t most) {
  std::vector<std::pair<int64_t, int64_t>> runs;
  for (int64_t i = 0; i < samples; ++i) {
    if (journal.has(i)) continue;
    const bool extends = !runs.empty() && runs.back().first + runs.back().second == i && runs.back().second < most;
    if (extends) {
      ++runs.back().second;
    } else {
      runs.emplace_back(i, 1);
    }
  }
  return runs;
}

// Threads take the next run; the caller takes what they have done.
class Workers {
 public:
  Workers(const ScorePass& pass, std::vector<std::pair<int64_t, int64_t>> runs) : pass_(pass), runs_(std::move(runs)) {
    const size_t count = std::min<size_t>(size_t(std::max(pass.threads, 1)), runs_.size());
    working_ = count;
    for (size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Workers() {
    stop();
    for (std::thread& thread : threads_) thread.join();
  }

  // Waits a little for finished chunks. False once all threads have ended and all was taken.
  bool take(std::vector<Chunk>& finished) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return !finished_.empty() || working_ == 0; });
    finished = std::move(finished_);
    finished_.clear();
    return working_ > 0 || !finished.empty();
  }
  void stop() {
    std::lock_guard lock(mutex_);
    next_ = runs_.size();
  }
  std::exception_ptr failure() {
    std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (next_ < runs_.size()) {
      const auto [first, count] = runs_[next_++];
      lock.unlock();
      Chunk chunk{first, std::vector<double>(size_t(count)), std::vector<uint32_t>(size_t(count))};
      std::exception_ptr failure;
      try {
        pass_.score(first, count, chunk.values, chunk.routes);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) {
        if (!failure_) failure_ = failure;
        next_ = runs_.size();
      } else {
        finished_.push_back(std::move(chunk));
      }
      changed_.notify_one();
    }
    --working_;
    changed_.notify_one();
  }

  const ScorePass& pass_;
  std::vector<std::pair<int64_t, int64_t>> runs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0, working_ = 0;
  std::vector<Chunk> finished_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace

void throw_if_pass_is_stopped() {
  if (const int signal = stop_signal()) {
    throw Error(signal == SIGINT ? Exit::kInterrupted : Exit::kTerminated,
                "scores: stopped; what is scored so far is kept, and the next pass goes on from there");
  }
}

void run_score_pass(const ScorePass& pass, ScoreJournal& journal) {
  Workers workers(pass, missing(journal, pass.samples, pass.chunk));
  std::vector<Chunk> finished;
  while (workers.take(finished)) {
    for (const Chunk& chunk : finished) {
      journal.add(chunk.first, chunk.values, {chunk.routes.begin(), chunk.routes.end()});
    }
    if (pass.progress) pass.progress(journal.done());
    if (stop_signal() != 0) workers.stop();
  }
  if (const std::exception_ptr failure = workers.failure()) std::rethrow_exception(failure);
  throw_if_pass_is_stopped();
}

}  // namespace sz
