#include "comm/engine.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "base/error.h"
#include "comm/backoff.h"

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace sz {
namespace {

constexpr auto kIdlePoll = std::chrono::milliseconds(20);  // how soon an idle rank hears of an abort
constexpr int kWaitSpins = 500;                            // some 10 us, before a waiter sleeps
constexpr double kDepartedGrace = 5;  // seconds for the last messages of a rank that has closed

// Sleeps of 20 us would otherwise take 70: the kernel rounds a thread's timers by 50 us unless told.
void make_sleeps_precise() {
#if defined(__linux__)
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
#endif
}

std::string text_of(const AbortInfo& info) { return "rank " + std::to_string(info.rank) + " gave up: " + info.reason; }

// What the caller holds. Dropped before its end, as an exception that unwinds does it, its buffers are about to go.
class Handle final : public Work {
 public:
  Handle(Engine& engine, std::shared_ptr<EngineWork> work) : engine_(engine), work_(std::move(work)) {}
  ~Handle() override {
    if (!work_->done()) engine_.withdraw();
  }
  void wait() override { work_->wait(); }
  bool done() override { return work_->done(); }
  WorkTimes times() const override { return work_->times(); }

 private:
  Engine& engine_;
  std::shared_ptr<EngineWork> work_;
};

}  // namespace

EngineWork::EngineWork(double posted) { times_.posted = posted; }

void EngineWork::wait() {
  for (int spin = 0; spin < kWaitSpins && state_.load(std::memory_order_acquire) == kPending; ++spin) relax_cpu();
  state_.wait(kPending, std::memory_order_acquire);
  if (state_.load(std::memory_order_acquire) == kFailed) throw Error(Exit::kComm, error_);
}

bool EngineWork::done() const { return state_.load(std::memory_order_acquire) != kPending; }

void EngineWork::finish(double now) {
  times_.finished = now;
  end(kFinished);
}

void EngineWork::fail(const AbortInfo& info) {
  error_ = text_of(info);
  end(kFailed);
}

void EngineWork::end(State state) {
  state_.store(state, std::memory_order_release);
  state_.notify_all();
}

Engine::Engine(TransportFactory factory, const CommOptions& options) : options_(options) {
  SZ_ASSERT(options.segment_bytes > 0 && options.segment_bytes % 64 == 0);
  std::promise<void> ready;
  std::future<void> started = ready.get_future();
  thread_ = std::thread(
      [this, factory = std::move(factory), ready = std::move(ready)]() mutable { run(factory, ready); });
  try {
    started.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  posted_signal_.notify_one();
  thread_.join();
}

WorkPtr Engine::post(Channel channel, std::unique_ptr<Collective> operation) {
  auto work = std::make_shared<EngineWork>(steady_seconds());
  {
    const std::lock_guard lock(mutex_);
    if (dropped_) {
      work->fail(*dropped_);
    } else {
      posted_[static_cast<size_t>(channel)].push_back({std::move(operation), work});
    }
  }
  posted_signal_.notify_one();
  return std::make_shared<Handle>(*this, std::move(work));
}

void Engine::abort(const AbortInfo& info) {
  {
    const std::lock_guard lock(mutex_);
    if (abort_) return;
    abort_ = info;
    has_abort_ = true;
  }
  posted_signal_.notify_one();
}

void Engine::withdraw() {
  std::unique_lock lock(mutex_);
  withdrawing_ = true;
  posted_signal_.notify_one();
  dropped_signal_.wait(lock, [this] { return dropped_.has_value(); });
}

std::optional<AbortInfo> Engine::aborted() const {
  const std::lock_guard lock(mutex_);
  return abort_;
}

void Engine::run(const TransportFactory& factory, std::promise<void>& ready) {
  try {
    transport_ = factory();
    rank_ = transport_->rank();
    size_ = transport_->size();
  } catch (...) {
    ready.set_exception(std::current_exception());
    return;
  }
  ready.set_value();
  make_sleeps_precise();
  loop();
  transport_->close(has_abort_);
  transport_.reset();
}

void Engine::loop() {
  Backoff backoff;
  while (take_posted()) {
    const bool moved = step();
    if (has_operations()) backoff.pause(moved);
  }
}

bool Engine::take_posted() {
  std::unique_lock lock(mutex_);
  if (!has_operations()) posted_signal_.wait_for(lock, kIdlePoll, [this] { return must_wake(); });
  for (int channel = 0; channel < kChannels; ++channel) {
    auto& posted = posted_[channel];
    for (Item& item : posted) lanes_[channel].queue.push_back(std::move(item));
    posted.clear();
  }
  return !stopping_ || has_operations() || must_tell();
}

bool Engine::has_operations() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) { return !lane.queue.empty(); });
}

bool Engine::must_wake() const {
  const bool posted = std::ranges::any_of(posted_, [](const std::deque<Item>& queue) { return !queue.empty(); });
  return posted || stopping_ || must_tell();
}

bool Engine::must_tell() const { return (has_abort_ && !told_) || (withdrawing_ && !dropped_); }

bool Engine::step() {
  bool moved = false;
  try {
    check_abort();
    check_withdrawal();
    for (int channel = 0; channel < kChannels; ++channel) moved = progress(static_cast<Channel>(channel)) || moved;
  } catch (const std::exception& error) {
    abort({rank_, error.what()});
    check_abort();
  }
  return moved;
}

bool Engine::progress(Channel channel) {
  Lane& lane = lanes_[static_cast<size_t>(channel)];
  if (lane.queue.empty()) return false;
  if (!lane.started) start_first(lane, channel);
  Collective& operation = *lane.queue.front().operation;
  const bool moved = operation.progress();
  if (moved) lane.last_progress = steady_seconds();
  if (operation.done()) {
    finish_first(lane, channel);
    return true;
  }
  if (!moved) check_timeout(lane, channel);
  return moved;
}

void Engine::start_first(Lane& lane, Channel channel) {
  const Item& item = lane.queue.front();
  lane.last_progress = steady_seconds();
  lane.started = true;
  item.work->start(lane.last_progress);
  item.operation->start(*transport_, lane.scratch, channel, lane.sequence, options_.segment_bytes);
}

void Engine::finish_first(Lane& lane, Channel channel) {
  Item item = std::move(lane.queue.front());
  lane.queue.pop_front();
  lane.started = false;
  const std::string name = options_.on_finished ? describe(item.operation->header()) : std::string();
  item.operation.reset();  // before the waiter may free its buffers
  item.work->finish(steady_seconds());
  if (options_.on_finished) options_.on_finished({rank_, channel, lane.sequence, name, item.work->times()});
  ++lane.sequence;
}

void Engine::check_timeout(const Lane& lane, Channel channel) {
  const Collective& operation = *lane.queue.front().operation;
  const double waited = steady_seconds() - lane.last_progress;
  const bool late = options_.timeout_s > 0 && waited > options_.timeout_s;
  if (!late && waited < kDepartedGrace) return;
  const int peer = operation.waits_for();
  const bool departed = peer >= 0 && transport_->departed(peer);
  if (!late && !departed) return;
  const std::string what = std::string(name_of(channel)) + ", operation " + std::to_string(lane.sequence) + " (" +
                           describe(operation.header()) + ")";
  const std::string who = peer < 0 ? "its peers" : "rank " + std::to_string(peer);
  const std::string why = departed ? ", which has closed its communicator" : "";
  throw Error(Exit::kComm, "no progress for " + std::to_string(static_cast<int>(waited)) + " s on channel " + what +
                               ": rank " + std::to_string(rank_) + " waits for " + who + why);
}

void Engine::check_abort() {
  if (told_) return;
  if (!has_abort_) {
    if (const auto heard = transport_->poll_abort()) abort(*heard);
  }
  if (has_abort_) break_off(*aborted());
}

void Engine::check_withdrawal() {
  if (!withdrawing_ || dropped_) return;  // dropped_ is written by this thread alone
  drop_operations({rank_, "an operation was dropped before its end"});
}

void Engine::break_off(const AbortInfo& info) {
  if (info.rank == rank_) transport_->announce_abort(info);
  drop_operations(info);
  const std::lock_guard lock(mutex_);
  told_ = true;
}

void Engine::drop_operations(const AbortInfo& reason) {
  std::vector<std::shared_ptr<EngineWork>> waiting;
  const auto drop = [&waiting](std::deque<Item>& queue) {
    for (Item& item : queue) waiting.push_back(item.work);
    queue.clear();  // withdraws its messages: waiters may free the buffers
  };
  for (Lane& lane : lanes_) {
    drop(lane.queue);
    lane.started = false;
  }
  {
    const std::lock_guard lock(mutex_);
    for (auto& queue : posted_) drop(queue);
    dropped_ = reason;
  }
  dropped_signal_.notify_all();
  for (const auto& work : waiting) work->fail(reason);
}

}  // namespace sz
