// Sum of squares in double, and non-finite elements.
#pragma once
#include <cstdint>

namespace zero3 {

struct SquareSum {
  double sum_squares = 0;  // of the finite ones
  int64_t non_finite = 0;
};

// dtype: fp32, fp16 or bf16.
SquareSum square_sum(const void* data, uint32_t dtype, int64_t n);

}  // namespace zero3
