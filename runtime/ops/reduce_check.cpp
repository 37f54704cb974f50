#include "ops/reduce_check.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#define SZ_KERNEL "ops/reduce_check_kernel.inl"
#include "ops/simd/foreach_isa.h"

namespace sz {

namespace {

constexpr int64_t kBlock = 4096;

using BlockKernel = void (*)(const void*, int64_t, SquareSum&);

BlockKernel kernel_of(DType dtype) {
  switch (dtype) {
    case DType::kF32: return SZ_DISPATCH(square_fp32);
    case DType::kF16: return SZ_DISPATCH(square_fp16);
    case DType::kBF16: return SZ_DISPATCH(square_bf16);
    default: throw Error(Exit::kInternal, std::string("square_sum doesn't take ") + name_of(dtype));
  }
}

}  // namespace

SquareSum square_sum(const void* data, DType dtype, int64_t n) {
  const BlockKernel kernel = kernel_of(dtype);
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<SquareSum> parts(static_cast<size_t>(blocks));
  const auto* bytes = static_cast<const char*>(data);
  at::parallel_for(0, blocks, 8, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b * kBlock;
      kernel(bytes + first * int64_t(size_of(dtype)), std::min(kBlock, n - first), parts[size_t(b)]);
    }
  });
  SquareSum total;
  for (const SquareSum& part : parts) {
    total.sum_squares += part.sum_squares;
    total.non_finite += part.non_finite;
  }
  return total;
}

}  // namespace sz
