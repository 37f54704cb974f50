// The same collectives, run by every kind of communicator: inputs depend on rank and case alone, so that
// outputs can be compared byte by byte between ranks, transports and a plain loop.
#pragma once
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/half.h"
#include "comm/communicator.h"

namespace sz::test {

using Bytes = std::vector<std::byte>;

inline constexpr DType kSummable[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI64};
// Nothing, fewer than ranks, odd, and with case_options(): several segments, and parts that end within one.
inline constexpr size_t kCounts[] = {0, 1, 3, 7, 500, 4099, 20011};

// Small segments and messages, so that short tests go through many.
inline CommOptions case_options() {
  CommOptions options;
  options.timeout_s = 30;
  options.segment_bytes = 4096;
  options.max_message_bytes = 5000;
  return options;
}

inline uint64_t mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Magnitudes over many powers of two: sums in another order would round differently.
inline double spread_value(uint64_t key, int max_exponent) {
  const uint64_t bits = mix(key);
  const double mantissa = 1 + static_cast<double>(bits >> 40) * 0x1p-24;
  const int exponent = static_cast<int>(bits % (2 * max_exponent)) - max_exponent;
  return std::ldexp((bits & 0x8000) ? mantissa : -mantissa, exponent);
}

inline void write_element(DType dtype, std::byte* to, uint64_t key) {
  const auto put = [to](auto value) { std::memcpy(to, &value, sizeof(value)); };
  switch (dtype) {
    case DType::kF32: return put(static_cast<float>(spread_value(key, 20)));
    case DType::kF64: return put(spread_value(key, 40));
    case DType::kF16: return put(half_of_float(static_cast<float>(spread_value(key, 9))));
    case DType::kBF16: return put(bfloat16_of_float(static_cast<float>(spread_value(key, 12))));
    default: return put(mix(key));
  }
}

inline Bytes make_input(int rank, uint64_t salt, size_t count, DType dtype) {
  Bytes data(count * size_of(dtype));
  for (size_t i = 0; i < count; ++i) {
    write_element(dtype, data.data() + i * size_of(dtype), (salt << 40) + (static_cast<uint64_t>(rank) << 32) + i);
  }
  return data;
}

inline uint64_t salt_of(DType dtype, size_t count) { return static_cast<uint64_t>(dtype) * 100 + count % 97; }

inline Bytes all_reduce_case(Communicator& comm, DType dtype, size_t count) {
  Bytes data = make_input(comm.rank(), salt_of(dtype, count), count, dtype);
  comm.all_reduce(Channel::kReduce, data.data(), count, dtype)->wait();
  return data;
}

// The parts of all ranks, put together; equals all_reduce of size() * count elements.
inline Bytes reduce_scatter_case(Communicator& comm, DType dtype, size_t count) {
  const Bytes in = make_input(comm.rank(), salt_of(dtype, count * comm.size()), count * comm.size(), dtype);
  Bytes part(count * size_of(dtype));
  comm.reduce_scatter(Channel::kReduce, in.data(), part.data(), count, dtype)->wait();
  Bytes all(in.size());
  comm.all_gather(Channel::kGather, part.data(), all.data(), part.size())->wait();
  return all;
}

inline Bytes all_gather_in_place_case(Communicator& comm, size_t bytes) {
  Bytes all(bytes * comm.size());
  const Bytes own = make_input(comm.rank(), bytes, bytes / 8 + 1, DType::kI64);
  std::byte* in = all.data() + comm.rank() * bytes;
  if (bytes > 0) std::memcpy(in, own.data(), bytes);
  comm.all_gather(Channel::kGather, in, all.data(), bytes)->wait();
  return all;
}

inline Bytes broadcast_case(Communicator& comm, size_t bytes, int root) {
  Bytes data = make_input(comm.rank(), bytes + 1, bytes / 8 + 1, DType::kI64);
  data.resize(bytes);
  comm.broadcast(Channel::kData, data.data(), bytes, root)->wait();
  return data;
}

// Every case's name and output, equal on all ranks.
struct CaseResult {
  std::string name;
  Bytes output;
};

inline std::vector<CaseResult> run_cases(Communicator& comm) {
  std::vector<CaseResult> results;
  for (size_t count : kCounts) {
    for (DType dtype : kSummable) {
      const std::string what = " " + std::to_string(count) + " " + name_of(dtype);
      results.push_back({"all_reduce" + what, all_reduce_case(comm, dtype, count)});
      results.push_back({"reduce_scatter" + what, reduce_scatter_case(comm, dtype, count)});
    }
    results.push_back({"all_gather " + std::to_string(count), all_gather_in_place_case(comm, count)});
    for (int root = 0; root < comm.size(); ++root) {
      results.push_back({"broadcast " + std::to_string(count), broadcast_case(comm, count, root)});
    }
    comm.barrier(Channel::kScalar)->wait();
  }
  return results;
}

}  // namespace sz::test
