// all_gather, broadcast and barrier.
#include <cstring>

#include "comm/collectives.h"

namespace sz {
namespace {

using Direction = SegmentStream::Direction;

class AllGather final : public Collective {
 public:
  AllGather(const void* in, void* out, size_t bytes)
      : Collective({.count = bytes, .kind = OpKind::kAllGather}),
        in_(static_cast<const std::byte*>(in)),
        out_(static_cast<std::byte*>(out)) {}

 protected:
  std::span<const std::byte> inline_data(int) const override {
    return is_inline() ? std::span(in_, bytes()) : std::span<const std::byte>();
  }

  void begin() override {
    std::byte* own = out_ + rank() * bytes();
    if (bytes() > 0 && in_ != own) std::memmove(own, in_, bytes());
    for (int distance = 1; distance < size(); ++distance) {
      const int peer = (rank() + distance) % size();
      std::byte* theirs = out_ + peer * bytes();
      if (is_inline()) {
        if (bytes() > 0) std::memcpy(theirs, received_inline(peer), bytes());
      } else {
        add_message(Direction::kReceive, peer, Tag::kPart, theirs, bytes());
        add_message(Direction::kSend, peer, Tag::kPart, own, bytes());
      }
    }
  }

 private:
  size_t bytes() const { return header().count; }
  bool is_inline() const { return bytes() <= kInlineBytes; }

  const std::byte* in_;
  std::byte* out_;
};

// Long data is cut into one part a rank: the root sends each rank its part, which that rank passes on to
// all others as it arrives. So no link carries much more than the data once.
class Broadcast final : public Collective {
 public:
  Broadcast(void* data, size_t bytes, int root)
      : Collective({.count = bytes, .root = root, .kind = OpKind::kBroadcast}), data_(static_cast<std::byte*>(data)) {}

 protected:
  std::span<const std::byte> inline_data(int) const override {
    return is_inline() && rank() == root() ? std::span<const std::byte>(data_, bytes()) : std::span<const std::byte>();
  }

  void begin() override {
    if (is_inline()) {
      if (rank() != root() && bytes() > 0) std::memcpy(data_, received_inline(root()), bytes());
    } else if (rank() == root()) {
      begin_root();
    } else {
      begin_other();
    }
  }

  void advance() override {
    if (own_part_ == nullptr) return;
    for (SegmentStream* stream : passed_on_) stream->allow(own_part_->completed());
  }

 private:
  size_t bytes() const { return header().count; }
  int root() const { return header().root; }
  bool is_inline() const { return bytes() <= kInlineBytes; }

  SegmentStream::Buffer part(int rank) const {
    const Part part = part_of(bytes(), size(), rank, 64);
    return {data_ + part.first, part.count, segment_bytes(), 0};
  }

  void begin_root() {
    for (int distance = 1; distance < size(); ++distance) {
      const int peer = (rank() + distance) % size();
      add_stream(Direction::kSend, peer, Tag::kPart, part(peer))->allow_all();
      add_stream(Direction::kSend, peer, Tag::kResult, part(root()))->allow_all();
    }
  }

  void begin_other() {
    own_part_ = add_stream(Direction::kReceive, root(), Tag::kPart, part(rank()));
    own_part_->allow_all();
    for (int distance = 1; distance < size(); ++distance) {
      const int peer = (rank() + distance) % size();
      add_stream(Direction::kReceive, peer, Tag::kResult, part(peer))->allow_all();
      if (peer != root()) passed_on_.push_back(add_stream(Direction::kSend, peer, Tag::kResult, part(rank())));
    }
  }

  std::byte* data_;
  SegmentStream* own_part_ = nullptr;  // from the root; null on the root itself
  std::vector<SegmentStream*> passed_on_;
};

class Barrier final : public Collective {
 public:
  Barrier() : Collective({.kind = OpKind::kBarrier}) {}

 protected:
  void begin() override {}
};

}  // namespace

std::unique_ptr<Collective> make_all_gather(const void* in, void* out, size_t bytes) {
  return std::make_unique<AllGather>(in, out, bytes);
}

std::unique_ptr<Collective> make_broadcast(void* data, size_t bytes, int root) {
  return std::make_unique<Broadcast>(data, bytes, root);
}

std::unique_ptr<Collective> make_barrier() { return std::make_unique<Barrier>(); }

}  // namespace sz
