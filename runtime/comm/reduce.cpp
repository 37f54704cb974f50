// all_reduce and reduce_scatter: every rank owns one part, receives the others' contributions to it,
// sums them in rank order, and (all_reduce) sends the result to all.
#include <algorithm>

#include "base/error.h"
#include "comm/collectives.h"
#include "comm/sum.h"

namespace sz {
namespace {

using Direction = SegmentStream::Direction;

constexpr size_t kPartAlignment = 64;  // elements: parts start at cache lines

class Reduce final : public Collective {
 public:
  Reduce(OpKind kind, const void* in, void* out, size_t count, DType dtype)
      : Collective({.count = count, .kind = kind, .dtype = dtype}),
        in_(static_cast<const std::byte*>(in)),
        out_(static_cast<std::byte*>(out)),
        gathers_(kind == OpKind::kAllReduce) {}

 protected:
  std::span<const std::byte> inline_data(int peer) const override;
  void begin() override;
  void advance() override;

 private:
  struct Peer {
    SegmentStream* contribution_out = nullptr;
    SegmentStream* contribution_in = nullptr;
    SegmentStream* result_out = nullptr;
    SegmentStream* result_in = nullptr;
    const std::byte* slots = nullptr;  // where its contributions land
  };

  size_t bytes() const { return header().count * size_of(header().dtype); }  // all_reduce: all; else a rank's part
  bool is_inline() const { return bytes() <= kInlineBytes; }
  Part part(int rank) const;  // in bytes, within in_
  void sum_inline();
  void add_streams(int peer, std::byte* slots);
  size_t contributed() const;  // segments of the own part that all peers have sent
  void sum_segment(size_t segment);

  const std::byte* in_;
  std::byte* out_;  // all_reduce: the whole buffer, as in_; else the own part
  bool gathers_;
  std::vector<Peer> peers_;
  size_t segments_ = 0;  // of the own part
  size_t summed_ = 0;
};

std::span<const std::byte> Reduce::inline_data(int peer) const {
  if (!is_inline()) return {};
  const size_t first = gathers_ ? 0 : peer * bytes();
  return {in_ + first, bytes()};
}

Part Reduce::part(int rank) const {
  if (!gathers_) return {rank * bytes(), bytes()};
  const size_t width = size_of(header().dtype);
  const Part elements = part_of(header().count, size(), rank, kPartAlignment);
  return {elements.first * width, elements.count * width};
}

void Reduce::sum_inline() {
  std::vector<const void*> sources;
  for (int peer = 0; peer < size(); ++peer) {
    const std::byte* own = in_ + (gathers_ ? 0 : rank() * bytes());
    sources.push_back(peer == rank() ? own : received_inline(peer));
  }
  sum_in_order(sources, out_, header().count, header().dtype);
}

void Reduce::begin() {
  if (is_inline()) return sum_inline();
  const size_t own = part(rank()).count;
  segments_ = own == 0 ? 0 : (own - 1) / segment_bytes() + 1;
  peers_.resize(size());
  const size_t slot_bytes = SegmentStream::kWindow * segment_bytes();
  std::byte* slots = scratch().reserve(slot_bytes * size());
  // Each rank begins with the next one, so that not all send to rank 0 first.
  for (int distance = 1; distance < size(); ++distance) {
    const int peer = (rank() + distance) % size();
    add_streams(peer, slots + slot_bytes * peer);
  }
}

void Reduce::add_streams(int peer, std::byte* slots) {
  const Part own = part(rank());
  const Part theirs = part(peer);
  Peer& p = peers_[peer];
  p.slots = slots;
  // A send only reads: one buffer type serves both directions.
  std::byte* in = const_cast<std::byte*>(in_);
  p.contribution_out =
      add_stream(Direction::kSend, peer, Tag::kPart, {in + theirs.first, theirs.count, segment_bytes(), 0});
  p.contribution_in =
      add_stream(Direction::kReceive, peer, Tag::kPart, {slots, own.count, segment_bytes(), SegmentStream::kWindow});
  p.contribution_out->allow_all();
  if (!gathers_) return;
  p.result_out = add_stream(Direction::kSend, peer, Tag::kResult, {out_ + own.first, own.count, segment_bytes(), 0});
  p.result_in =
      add_stream(Direction::kReceive, peer, Tag::kResult, {out_ + theirs.first, theirs.count, segment_bytes(), 0});
}

void Reduce::advance() {
  while (summed_ < contributed()) sum_segment(summed_++);
  for (Peer& p : peers_) {
    if (p.contribution_in == nullptr) continue;
    p.contribution_in->allow(summed_ + SegmentStream::kWindow);
    if (!gathers_) continue;
    p.result_out->allow(summed_);
    p.result_in->allow(p.contribution_out->completed());  // overwrites what was sent from there
  }
}

size_t Reduce::contributed() const {
  size_t segments = segments_;
  for (const Peer& p : peers_) {
    if (p.contribution_in != nullptr) segments = std::min(segments, p.contribution_in->completed());
  }
  return segments;
}

void Reduce::sum_segment(size_t segment) {
  const Part own = part(rank());
  const size_t first = segment * segment_bytes();
  const size_t bytes = std::min(segment_bytes(), own.count - first);
  const size_t slot = segment % SegmentStream::kWindow * segment_bytes();
  std::vector<const void*> sources;
  for (int peer = 0; peer < size(); ++peer) {
    sources.push_back(peer == rank() ? in_ + own.first + first : peers_[peer].slots + slot);
  }
  std::byte* out = out_ + (gathers_ ? own.first : 0) + first;
  sum_in_order(sources, out, bytes / size_of(header().dtype), header().dtype);
}

}  // namespace

Part part_of(size_t count, int parts, int index, size_t alignment) {
  const size_t even = (count + parts - 1) / parts;
  const size_t step = (even + alignment - 1) / alignment * alignment;
  const size_t first = std::min(count, step * index);
  return {first, std::min(step, count - first)};
}

std::unique_ptr<Collective> make_all_reduce(void* data, size_t count, DType dtype) {
  SZ_ASSERT(is_summable(dtype));
  return std::make_unique<Reduce>(OpKind::kAllReduce, data, data, count, dtype);
}

std::unique_ptr<Collective> make_reduce_scatter(const void* in, void* out, size_t count, DType dtype) {
  SZ_ASSERT(is_summable(dtype));
  return std::make_unique<Reduce>(OpKind::kReduceScatter, in, out, count, dtype);
}

}  // namespace sz
