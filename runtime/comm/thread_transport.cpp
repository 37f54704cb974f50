#include "comm/thread_transport.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "base/error.h"

namespace sz {
namespace {

constexpr size_t kEagerBytes = 4096;  // shorter messages are copied, so that their sender need not wait

struct Message {
  const void* data = nullptr;
  size_t bytes = 0;
  std::vector<std::byte> copy;
  std::atomic<bool> taken{false};
};

// Messages with one sender, receiver, channel and tag.
struct Mailbox {
  std::mutex mutex;
  std::deque<std::shared_ptr<Message>> messages;
  std::atomic<size_t> waiting{0};  // messages.size(), readable without the lock
  uint64_t receives_posted = 0;    // receives match in the order in which they were posted; the receiver's alone
  uint64_t receives_matched = 0;
};

class DoneRequest final : public Request {
 public:
  bool test() override { return true; }
};

class SendRequest final : public Request {
 public:
  SendRequest(Mailbox& mailbox, std::shared_ptr<Message> message) : mailbox_(mailbox), message_(std::move(message)) {}

  // The receiver copies under the lock: afterwards the message is either taken or gone.
  ~SendRequest() override {
    if (message_->taken) return;
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.waiting -= std::erase(mailbox_.messages, message_);
  }

  bool test() override { return message_->taken.load(std::memory_order_acquire); }

 private:
  Mailbox& mailbox_;
  std::shared_ptr<Message> message_;
};

class ReceiveRequest final : public Request {
 public:
  ReceiveRequest(Mailbox& mailbox, int peer, void* data, size_t capacity)
      : mailbox_(mailbox), peer_(peer), data_(data), capacity_(capacity), ticket_(mailbox.receives_posted++) {}

  bool test() override {
    if (done_) return true;
    if (mailbox_.receives_matched != ticket_ || mailbox_.waiting.load(std::memory_order_acquire) == 0) return false;
    const std::lock_guard lock(mailbox_.mutex);
    if (mailbox_.messages.empty()) return false;
    take(*mailbox_.messages.front());
    mailbox_.messages.pop_front();
    --mailbox_.waiting;
    ++mailbox_.receives_matched;
    done_ = true;
    return true;
  }

 private:
  void take(Message& message) {
    if (message.bytes > capacity_) {
      throw Error(Exit::kComm, "rank " + std::to_string(peer_) + " sent " + std::to_string(message.bytes) +
                                   " bytes where " + std::to_string(capacity_) + " were expected");
    }
    if (message.bytes > 0) std::memcpy(data_, message.data, message.bytes);
    message.taken.store(true, std::memory_order_release);
  }

  Mailbox& mailbox_;
  int peer_;
  void* data_;
  size_t capacity_;
  uint64_t ticket_;
  bool done_ = false;
};

}  // namespace

class ThreadWorld {
 public:
  explicit ThreadWorld(int ranks)
      : ranks_(ranks), mailboxes_(static_cast<size_t>(ranks) * ranks * kChannels * kTags), departed_(ranks) {}

  int ranks() const { return ranks_; }

  Mailbox& mailbox(int from, int to, Channel channel, Tag tag) {
    const size_t pair = static_cast<size_t>(from) * ranks_ + to;
    return mailboxes_[(pair * kChannels + static_cast<size_t>(channel)) * kTags + static_cast<size_t>(tag)];
  }

  void abort(const AbortInfo& info) {
    const std::lock_guard lock(abort_mutex_);
    if (!abort_) abort_ = info;
    has_abort_ = true;
  }

  std::optional<AbortInfo> aborted() {
    if (!has_abort_) return std::nullopt;
    const std::lock_guard lock(abort_mutex_);
    return abort_;
  }

  std::atomic<bool>& departed(int rank) { return departed_[rank]; }

 private:
  int ranks_;
  std::vector<Mailbox> mailboxes_;
  std::vector<std::atomic<bool>> departed_;
  std::mutex abort_mutex_;
  std::optional<AbortInfo> abort_;
  std::atomic<bool> has_abort_{false};
};

namespace {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadWorld> world, int rank) : world_(std::move(world)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return world_->ranks(); }

  RequestPtr send(int peer, Channel channel, Tag tag, const void* data, size_t bytes) override {
    Mailbox& mailbox = world_->mailbox(rank_, peer, channel, tag);
    auto message = std::make_shared<Message>();
    message->data = data;
    message->bytes = bytes;
    const bool eager = bytes <= kEagerBytes;
    if (eager && bytes > 0) {
      const auto* begin = static_cast<const std::byte*>(data);
      message->copy.assign(begin, begin + bytes);
      message->data = message->copy.data();
    }
    {
      const std::lock_guard lock(mailbox.mutex);
      mailbox.messages.push_back(message);
      ++mailbox.waiting;
    }
    if (eager) return std::make_unique<DoneRequest>();
    return std::make_unique<SendRequest>(mailbox, std::move(message));
  }

  RequestPtr receive(int peer, Channel channel, Tag tag, void* data, size_t capacity) override {
    return std::make_unique<ReceiveRequest>(world_->mailbox(peer, rank_, channel, tag), peer, data, capacity);
  }

  void announce_abort(const AbortInfo& info) noexcept override { world_->abort(info); }
  std::optional<AbortInfo> poll_abort() noexcept override { return world_->aborted(); }
  bool departed(int peer) override { return world_->departed(peer); }
  void close(bool) noexcept override { world_->departed(rank_) = true; }

 private:
  std::shared_ptr<ThreadWorld> world_;
  int rank_;
};

}  // namespace

std::shared_ptr<ThreadWorld> make_thread_world(int ranks) { return std::make_shared<ThreadWorld>(ranks); }

std::unique_ptr<Transport> make_thread_transport(std::shared_ptr<ThreadWorld> world, int rank) {
  return std::make_unique<ThreadTransport>(std::move(world), rank);
}

}  // namespace sz
