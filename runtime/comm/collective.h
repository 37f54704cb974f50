// One operation as a state machine over a transport. It begins with a message from every rank to every
// other: a header that says what the operation is, and the data itself where it is short. Once all
// headers agree, long data follows in streams of segments.
#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/op_header.h"
#include "comm/segment_stream.h"
#include "comm/transport.h"

namespace sz {

// A channel's memory for segments under way, kept from one operation to the next.
class Scratch {
 public:
  std::byte* reserve(size_t bytes);

 private:
  std::unique_ptr<std::byte[]> data_;
  size_t bytes_ = 0;
};

class Collective {
 public:
  // What fits into a first message beside the header; within the eager limit of common transports.
  static constexpr size_t kFirstMessageBytes = 4096;
  static constexpr size_t kInlineBytes = kFirstMessageBytes - sizeof(OpHeader);

  // header: kind, count, dtype and root; the rest is filled in by start().
  explicit Collective(const OpHeader& header) : header_(header) {}
  virtual ~Collective() = default;

  // Both lent until this operation is destroyed. Thread of all calls: the communication thread.
  void start(Transport& transport, Scratch& scratch, Channel channel, uint64_t sequence, size_t segment_bytes);
  // Returns whether anything moved. Throws Error(kComm) when a peer runs a different operation.
  bool progress();
  bool done() const;
  int waits_for() const;  // a peer that has not done its share yet, or -1

  const OpHeader& header() const { return header_; }

 protected:
  // What goes into the first message to `peer`; at most kInlineBytes.
  virtual std::span<const std::byte> inline_data(int peer) const { return {}; }
  // All ranks are here: use received_inline(), or add streams.
  virtual void begin() = 0;
  // After a stream moved, and once after begin(): let further segments travel.
  virtual void advance() {}

  const std::byte* received_inline(int peer) const { return first_received_[peer].get() + sizeof(OpHeader); }
  SegmentStream* add_stream(SegmentStream::Direction direction, int peer, Tag tag, SegmentStream::Buffer buffer);
  // The same without segments: one message, travelling at once.
  void add_message(SegmentStream::Direction direction, int peer, Tag tag, std::byte* data, size_t bytes);

  int rank() const { return transport_->rank(); }
  int size() const { return transport_->size(); }
  Scratch& scratch() { return *scratch_; }
  size_t segment_bytes() const { return header_.segment_bytes; }

 private:
  void send_first(int peer);
  bool progress_first();
  bool progress_streams();
  void check_header(int peer) const;

  OpHeader header_;
  Transport* transport_ = nullptr;
  Scratch* scratch_ = nullptr;
  bool begun_ = false;
  std::vector<std::unique_ptr<std::byte[]>> first_sent_;      // by peer; before the requests that use them
  std::vector<std::unique_ptr<std::byte[]>> first_received_;  // by peer
  std::vector<RequestPtr> send_requests_;                     // by peer, null once done
  std::vector<RequestPtr> receive_requests_;                  // by peer, null once done
  std::deque<SegmentStream> streams_;                         // a deque, since add_stream hands out addresses
};

}  // namespace sz
