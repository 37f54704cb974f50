#include "comm/segment_stream.h"

#include <algorithm>

namespace sz {

SegmentStream::SegmentStream(Transport& transport, Direction direction, int peer, Channel channel, Tag tag,
                             Buffer buffer)
    : transport_(transport),
      direction_(direction),
      peer_(peer),
      channel_(channel),
      tag_(tag),
      buffer_(buffer),
      segments_(buffer.bytes == 0 ? 0 : (buffer.bytes - 1) / buffer.segment_bytes + 1) {}

void SegmentStream::allow(size_t segments) { allowed_ = std::max(allowed_, std::min(segments, segments_)); }

bool SegmentStream::progress() {
  const size_t before = completed_;
  while (!requests_.empty() && requests_.front()->test()) {
    requests_.pop_front();
    ++completed_;
  }
  while (requests_.size() < kWindow && completed_ + requests_.size() < allowed_) post_next();
  return completed_ != before;
}

void SegmentStream::post_next() {
  const size_t index = completed_ + requests_.size();
  const size_t slot = buffer_.slots == 0 ? index : index % buffer_.slots;
  const size_t bytes = std::min(buffer_.segment_bytes, buffer_.bytes - index * buffer_.segment_bytes);
  std::byte* data = buffer_.data + slot * buffer_.segment_bytes;
  requests_.push_back(direction_ == Direction::kSend ? transport_.send(peer_, channel_, tag_, data, bytes)
                                                     : transport_.receive(peer_, channel_, tag_, data, bytes));
}

}  // namespace sz
