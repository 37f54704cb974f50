// A long buffer on its way to or from one peer, in segments, a few in flight at a time.
#pragma once
#include <cstddef>
#include <deque>

#include "comm/transport.h"

namespace sz {

class SegmentStream {
 public:
  enum class Direction { kSend, kReceive };

  // Where segments lie: at data + (i % slots) * segment_bytes; slots 0 means one after the other.
  struct Buffer {
    std::byte* data = nullptr;
    size_t bytes = 0;
    size_t segment_bytes = 0;
    size_t slots = 0;
  };

  static constexpr size_t kWindow = 3;  // segments in flight

  SegmentStream(Transport& transport, Direction direction, int peer, Channel channel, Tag tag, Buffer buffer);

  size_t segments() const { return segments_; }
  size_t completed() const { return completed_; }
  bool done() const { return completed_ == segments_; }
  bool in_flight() const { return !requests_.empty(); }
  Direction direction() const { return direction_; }
  int peer() const { return peer_; }

  // The first `segments` may travel; at first none may. Never goes back.
  void allow(size_t segments);
  void allow_all() { allow(segments_); }

  // Returns whether a segment was completed.
  bool progress();

 private:
  void post_next();

  Transport& transport_;
  Direction direction_;
  int peer_;
  Channel channel_;
  Tag tag_;
  Buffer buffer_;
  size_t segments_;
  size_t allowed_ = 0;
  size_t completed_ = 0;
  std::deque<RequestPtr> requests_;  // of segments completed_, completed_ + 1, ...
};

}  // namespace sz
