#include "comm/sum.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/error.h"
#include "base/half.h"

namespace sz {
namespace {

// A constant trip count lets compilers vectorise at -O2; the accumulators stay in the L1 cache.
constexpr size_t kBlock = 256;

// An element type: how a block of it is widened to its accumulator and back.
template <typename T>
struct Plain {
  using Element = T;
  using Accumulator = T;
  static void widen(const T* in, T* out, size_t n) { std::memcpy(out, in, n * sizeof(T)); }
  static void narrow(const T* in, T* out, size_t n) { std::memcpy(out, in, n * sizeof(T)); }
};

struct Half {
  using Element = uint16_t;
  using Accumulator = float;
  static void widen(const uint16_t* in, float* out, size_t n) { floats_of_halves(in, out, n); }
  static void narrow(const float* in, uint16_t* out, size_t n) { halves_of_floats(in, out, n); }
};

struct Bfloat16 {
  using Element = uint16_t;
  using Accumulator = float;
  static void widen(const uint16_t* in, float* out, size_t n) { floats_of_bfloat16s(in, out, n); }
  static void narrow(const float* in, uint16_t* out, size_t n) { bfloat16s_of_floats(in, out, n); }
};

template <typename Type>
void sum_block(const std::vector<const void*>& sources, size_t first, void* out, size_t n) {
  using Element = typename Type::Element;
  using Accumulator = typename Type::Accumulator;
  Accumulator sum[kBlock] = {};
  Accumulator addend[kBlock] = {};
  Type::widen(static_cast<const Element*>(sources[0]) + first, sum, n);
  for (size_t s = 1; s < sources.size(); ++s) {
    Type::widen(static_cast<const Element*>(sources[s]) + first, addend, n);
    for (size_t i = 0; i < kBlock; ++i) sum[i] += addend[i];
  }
  Type::narrow(sum, static_cast<Element*>(out) + first, n);
}

template <typename Type>
void sum_all(const std::vector<const void*>& sources, void* out, size_t count) {
  size_t first = 0;
  for (; first + kBlock <= count; first += kBlock) sum_block<Type>(sources, first, out, kBlock);
  if (first < count) sum_block<Type>(sources, first, out, count - first);
}

}  // namespace

bool is_summable(DType dtype) { return dtype != DType::kI32 && dtype != DType::kU8; }

void sum_in_order(const std::vector<const void*>& sources, void* out, size_t count, DType dtype) {
  SZ_ASSERT(!sources.empty() && is_summable(dtype));
  switch (dtype) {
    case DType::kF32: return sum_all<Plain<float>>(sources, out, count);
    case DType::kF64: return sum_all<Plain<double>>(sources, out, count);
    case DType::kF16: return sum_all<Half>(sources, out, count);
    case DType::kBF16: return sum_all<Bfloat16>(sources, out, count);
    case DType::kI64: return sum_all<Plain<uint64_t>>(sources, out, count);  // unsigned: wraps
    default: return;
  }
}

}  // namespace sz
