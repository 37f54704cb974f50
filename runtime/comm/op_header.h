// What an operation is: sent along with its first message, so that ranks which run different sequences
// find out at once.
#pragma once
#include <cstdint>
#include <string>

#include "comm/communicator.h"

namespace sz {

enum class OpKind : uint8_t { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kBarrier };

struct OpHeader {
  uint64_t sequence = 0;  // position on its channel, from 0
  uint64_t count = 0;     // elements of a sum (a rank's part for reduce_scatter), else bytes (a rank's for all_gather)
  uint64_t segment_bytes = 0;
  int32_t root = -1;  // of a broadcast
  OpKind kind = OpKind::kBarrier;
  DType dtype = DType::kU8;
  Channel channel = Channel::kGather;
  uint8_t reserved = 0;

  bool operator==(const OpHeader&) const = default;
};
static_assert(sizeof(OpHeader) == 32, "the header must have no padding: it travels as bytes");

std::string describe(const OpHeader& header);  // "all_reduce of 10 fp32"

// "ranks 0 and 1 disagree on channel reduce, operation 3: rank 0 runs ..., rank 1 runs ..."
std::string describe_mismatch(int rank_a, const OpHeader& a, int rank_b, const OpHeader& b);

}  // namespace sz
