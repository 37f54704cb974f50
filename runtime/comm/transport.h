// Messages between two ranks, and the abort channel: what a backend must bring. The collectives above are
// the same for all backends.
//
// Messages of one sender, channel and tag arrive in the order in which they were sent. All calls,
// construction and destruction too, come from the rank's communication thread.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "comm/communicator.h"

namespace sz {

// What a message is for; each tag is a separate stream between two ranks on one channel.
enum class Tag : uint8_t { kFirst = 0, kPart = 1, kResult = 2 };
inline constexpr int kTags = 3;

// A message under way. Destroying an unfinished one withdraws it: its buffer is not touched any more.
class Request {
 public:
  virtual ~Request() = default;
  virtual bool test() = 0;  // true once the buffer is free again; throws Error(kComm) naming the peer
};
using RequestPtr = std::unique_ptr<Request>;

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  virtual RequestPtr send(int peer, Channel channel, Tag tag, const void* data, size_t bytes) = 0;
  // The message may be shorter than `capacity`; a longer one is an error.
  virtual RequestPtr receive(int peer, Channel channel, Tag tag, void* data, size_t capacity) = 0;

  // Neither throws: a broken link must not keep this rank from stopping.
  virtual void announce_abort(const AbortInfo& info) noexcept = 0;
  virtual std::optional<AbortInfo> poll_abort() noexcept = 0;  // the first abort heard of from another rank

  // True once that rank has closed: it will start nothing more.
  virtual bool departed(int peer) = 0;
  // The last call. Tells the others that this rank starts nothing more.
  virtual void close(bool aborted) noexcept = 0;
};

}  // namespace sz
