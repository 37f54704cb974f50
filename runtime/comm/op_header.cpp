#include "comm/op_header.h"

#include <utility>

namespace sz {
namespace {

std::string describe_at(int rank, const OpHeader& header) {
  return "rank " + std::to_string(rank) + " runs " + describe(header) + " as operation " +
         std::to_string(header.sequence);
}

}  // namespace

const char* name_of(Channel channel) {
  switch (channel) {
    case Channel::kGather: return "gather";
    case Channel::kReduce: return "reduce";
    case Channel::kScalar: return "scalar";
    case Channel::kData: return "data";
  }
  return "?";
}

std::string describe(const OpHeader& header) {
  const std::string count = std::to_string(header.count);
  switch (header.kind) {
    case OpKind::kAllReduce: return "all_reduce of " + count + " " + name_of(header.dtype);
    case OpKind::kReduceScatter: return "reduce_scatter of " + count + " " + name_of(header.dtype) + " a rank";
    case OpKind::kAllGather: return "all_gather of " + count + " bytes a rank";
    case OpKind::kBroadcast: return "broadcast of " + count + " bytes from rank " + std::to_string(header.root);
    case OpKind::kBarrier: return "barrier";
  }
  return "an unknown operation";
}

std::string describe_mismatch(int rank_a, const OpHeader& a, int rank_b, const OpHeader& b) {
  if (rank_a > rank_b) return describe_mismatch(rank_b, b, rank_a, a);
  const std::string where = "ranks " + std::to_string(rank_a) + " and " + std::to_string(rank_b) +
                            " disagree on channel " + name_of(a.channel) + ": ";
  if (a.segment_bytes != b.segment_bytes) {
    return where + "segment_bytes is " + std::to_string(a.segment_bytes) + " on one and " +
           std::to_string(b.segment_bytes) + " on the other; give all ranks the same";
  }
  return where + describe_at(rank_a, a) + ", " + describe_at(rank_b, b) +
         "; all ranks must run the same sequence of operations";
}

}  // namespace sz
