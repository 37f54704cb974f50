#include "ops/softmax_row.h"

#include <cmath>
#include <limits>

#define SZ_KERNEL "ops/softmax_row_kernel.inl"
#include "ops/simd/foreach_isa.h"

namespace sz {

SoftmaxRow softmax_row(float* x, int64_t n, int64_t label, float weight, bool gradient) {
  SoftmaxRow row;
  SZ_DISPATCH(softmax_row)(x, n, label, weight, gradient, row);
  return row;
}

SoftmaxRow softmax_row(uint16_t* x, float* scratch, int64_t n, int64_t label, float weight, bool gradient) {
  SZ_DISPATCH(widen_row_bf16)(x, scratch, n);
  const SoftmaxRow row = softmax_row(scratch, n, label, weight, gradient);
  if (gradient) SZ_DISPATCH(narrow_row_bf16)(scratch, x, n);
  return row;
}

SoftmaxRow softmax_row(double* x, int64_t n, int64_t label, double weight, bool gradient) {
  double highest = -std::numeric_limits<double>::infinity();
  int64_t where = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > highest) {
      highest = x[i];
      where = i;
    }
  }
  const double at_label = x[label];
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double e = std::exp(x[i] - highest);
    if (gradient) x[i] = e;
    sum += e;
  }
  if (gradient) {
    const double factor = weight / sum;
    for (int64_t i = 0; i < n; ++i) x[i] *= factor;
    x[label] -= weight;
  }
  return {std::log(sum) - (at_label - highest), where == label && at_label == highest && sum == sum};
}

}  // namespace sz
