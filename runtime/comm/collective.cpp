#include "comm/collective.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace sz {

std::byte* Scratch::reserve(size_t bytes) {
  if (bytes > bytes_) {
    data_.reset();
    data_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    bytes_ = bytes;
  }
  return data_.get();
}

void Collective::start(Transport& transport, Scratch& scratch, Channel channel, uint64_t sequence,
                       size_t segment_bytes) {
  transport_ = &transport;
  scratch_ = &scratch;
  header_.channel = channel;
  header_.sequence = sequence;
  header_.segment_bytes = segment_bytes;
  first_sent_.resize(size());
  first_received_.resize(size());
  send_requests_.resize(size());
  receive_requests_.resize(size());
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == rank()) continue;
    first_received_[peer] = std::make_unique_for_overwrite<std::byte[]>(kFirstMessageBytes);
    receive_requests_[peer] =
        transport.receive(peer, channel, Tag::kFirst, first_received_[peer].get(), kFirstMessageBytes);
  }
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != rank()) send_first(peer);
  }
}

void Collective::send_first(int peer) {
  const std::span<const std::byte> data = inline_data(peer);
  SZ_ASSERT(data.size() <= kInlineBytes);
  const size_t bytes = sizeof(OpHeader) + data.size();
  first_sent_[peer] = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::memcpy(first_sent_[peer].get(), &header_, sizeof(OpHeader));
  if (!data.empty()) std::memcpy(first_sent_[peer].get() + sizeof(OpHeader), data.data(), data.size());
  send_requests_[peer] = transport_->send(peer, header_.channel, Tag::kFirst, first_sent_[peer].get(), bytes);
}

bool Collective::progress() {
  if (begun_) return progress_streams();
  const bool moved = progress_first();
  const auto is_null = [](const RequestPtr& request) { return request == nullptr; };
  if (!std::ranges::all_of(receive_requests_, is_null) || !std::ranges::all_of(send_requests_, is_null)) return moved;
  begun_ = true;
  begin();
  advance();
  progress_streams();
  return true;
}

bool Collective::progress_first() {
  bool moved = false;
  for (int peer = 0; peer < size(); ++peer) {
    if (send_requests_[peer] && send_requests_[peer]->test()) {
      send_requests_[peer].reset();
      moved = true;
    }
    if (receive_requests_[peer] && receive_requests_[peer]->test()) {
      receive_requests_[peer].reset();
      check_header(peer);
      moved = true;
    }
  }
  return moved;
}

void Collective::check_header(int peer) const {
  OpHeader theirs;
  std::memcpy(&theirs, first_received_[peer].get(), sizeof(OpHeader));
  if (theirs != header_) throw Error(Exit::kComm, describe_mismatch(rank(), header_, peer, theirs));
}

bool Collective::progress_streams() {
  bool moved = false;
  for (SegmentStream& stream : streams_) {
    if (!stream.done()) moved = stream.progress() || moved;
  }
  if (moved) advance();
  return moved;
}

bool Collective::done() const {
  return begun_ && std::ranges::all_of(streams_, [](const SegmentStream& stream) { return stream.done(); });
}

int Collective::waits_for() const {
  for (size_t peer = 0; peer < receive_requests_.size(); ++peer) {
    if (receive_requests_[peer] || send_requests_[peer]) return static_cast<int>(peer);
  }
  // A receive under way waits for its peer; a stream not yet allowed to travel only follows others.
  const SegmentStream* waiting = nullptr;
  for (const SegmentStream& stream : streams_) {
    if (!stream.in_flight()) continue;
    if (stream.direction() == SegmentStream::Direction::kReceive) return stream.peer();
    waiting = &stream;
  }
  return waiting == nullptr ? -1 : waiting->peer();
}

SegmentStream* Collective::add_stream(SegmentStream::Direction direction, int peer, Tag tag,
                                      SegmentStream::Buffer buffer) {
  return &streams_.emplace_back(*transport_, direction, peer, header_.channel, tag, buffer);
}

void Collective::add_message(SegmentStream::Direction direction, int peer, Tag tag, std::byte* data, size_t bytes) {
  add_stream(direction, peer, tag, {data, bytes, bytes, 0})->allow_all();
}

}  // namespace sz
