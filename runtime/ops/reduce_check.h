// Sum of squares and count of non-finite elements of a raw buffer, in one pass: the local facts of a gradient.
#pragma once
#include <cstdint>

#include "base/dtype.h"

namespace sz {

struct SquareSum {
  double sum_squares = 0;  // over finite elements
  int64_t non_finite = 0;
};

// data: n elements of kF32, kF16 or kBF16, not necessarily aligned. Squares are taken and summed in double.
// The result is bit-identical for any number of threads and any CPU: blocks of 4096 elements are summed in 16
// lanes (element i of a block in lane i % 16), lanes by halves, then blocks in order.
// Thread: any; runs on the caller's intra-op threads.
SquareSum square_sum(const void* data, DType dtype, int64_t n);

}  // namespace sz
