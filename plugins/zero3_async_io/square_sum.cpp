#include "square_sum.h"

#include <ATen/Parallel.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <sz/base.h>

#include <cmath>
#include <sz/error.hpp>
#include <vector>

namespace zero3 {
namespace {

constexpr int64_t kBlock = 4096;  // summed apart, so that the result depends on no number of threads
constexpr int kLanes = 16;

template <class T>
SquareSum block_sum(const T* x, int64_t n) {
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      const double v = double(float(x[i + l]));
      lanes[l] += v * v;
    }
  }
  for (; i < n; ++i) lanes[0] += double(float(x[i])) * double(float(x[i]));
  SquareSum sum;
  for (const double lane : lanes) sum.sum_squares += lane;
  if (std::isfinite(sum.sum_squares)) return sum;  // squares of finite fp32 numbers never leave double's range
  sum.sum_squares = 0;
  for (i = 0; i < n; ++i) {
    const double v = double(float(x[i]));
    if (std::isfinite(v)) {
      sum.sum_squares += v * v;
    } else {
      ++sum.non_finite;
    }
  }
  return sum;
}

template <class T>
SquareSum sum_of(const void* data, int64_t n) {
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<SquareSum> parts(static_cast<size_t>(blocks));
  at::parallel_for(0, blocks, 8, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      parts[size_t(b)] = block_sum(static_cast<const T*>(data) + b * kBlock, std::min(kBlock, n - b * kBlock));
    }
  });
  SquareSum total;
  for (const SquareSum& part : parts) {
    total.sum_squares += part.sum_squares;
    total.non_finite += part.non_finite;
  }
  return total;
}

}  // namespace

SquareSum square_sum(const void* data, uint32_t dtype, int64_t n) {
  switch (dtype) {
    case SZ_F32: return sum_of<float>(data, n);
    case SZ_F16: return sum_of<c10::Half>(data, n);
    case SZ_BF16: return sum_of<c10::BFloat16>(data, n);
    default: throw sz::Error(SZ_PLUGIN_FAILED, "zero3_async_io: gradients have no dtype " + std::to_string(dtype));
  }
}

}  // namespace zero3
