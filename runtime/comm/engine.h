// The communication thread of one rank: a queue a channel, whose first operation is under way.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "comm/collective.h"
#include "comm/communicator.h"
#include "comm/transport.h"

namespace sz {

// What the communication thread and the holder of a WorkPtr share.
class EngineWork {
 public:
  explicit EngineWork(double posted);
  void wait();
  bool done() const;
  WorkTimes times() const { return times_; }

  // Of the communication thread (fail also of a thread that enqueues too late).
  void start(double now) { times_.started = now; }
  void finish(double now);
  void fail(const AbortInfo& info);

 private:
  enum State : int { kPending, kFinished, kFailed };
  void end(State state);

  std::atomic<int> state_{kPending};
  WorkTimes times_;
  std::string error_;  // written before state_ becomes kFailed
};

class Engine {
 public:
  using TransportFactory = std::function<std::unique_ptr<Transport>()>;

  // Starts the thread and calls the factory on it; rethrows what that throws.
  Engine(TransportFactory factory, const CommOptions& options);
  // Finishes what was enqueued, or, after an abort, drops it; then closes the transport.
  ~Engine();

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Thread of all: any.
  WorkPtr post(Channel channel, std::unique_ptr<Collective> operation);
  void abort(const AbortInfo& info);
  // Ends this rank's operations without telling the others why: that is for a later abort(). Returns when no buffer is
  // in use any more.
  void withdraw();
  std::optional<AbortInfo> aborted() const;

 private:
  struct Item {
    std::unique_ptr<Collective> operation;
    std::shared_ptr<EngineWork> work;
  };
  struct Lane {
    Scratch scratch;  // before the queue, whose operations use it
    std::deque<Item> queue;
    bool started = false;  // the first of the queue
    uint64_t sequence = 0;
    double last_progress = 0;
  };

  void run(const TransportFactory& factory, std::promise<void>& ready);
  void loop();
  bool take_posted();  // waits while idle; false: asked to stop, and nothing is left
  bool step();         // whether anything moved
  bool has_operations() const;
  bool must_wake() const;
  bool must_tell() const;  // of an abort that waiters and peers have not heard of yet
  bool progress(Channel channel);
  void start_first(Lane& lane, Channel channel);
  void finish_first(Lane& lane, Channel channel);
  void check_timeout(const Lane& lane, Channel channel);
  void check_abort();
  void check_withdrawal();
  void break_off(const AbortInfo& info);
  void drop_operations(const AbortInfo& reason);  // their waits throw, as those of later ones

  CommOptions options_;
  int rank_ = 0;
  int size_ = 1;

  mutable std::mutex mutex_;
  std::condition_variable posted_signal_;
  std::array<std::deque<Item>, kChannels> posted_;
  std::optional<AbortInfo> abort_;
  std::atomic<bool> has_abort_{false};  // abort_ is set
  std::optional<AbortInfo> dropped_;    // why nothing is in flight any more: post() fails at once
  std::condition_variable dropped_signal_;
  bool told_ = false;                   // of the abort: the peers, if it is this rank's
  std::atomic<bool> withdrawing_{false};
  bool stopping_ = false;

  // Of the communication thread alone.
  std::unique_ptr<Transport> transport_;
  std::array<Lane, kChannels> lanes_;  // after the transport, which their operations use

  std::thread thread_;
};

}  // namespace sz
