// One row of the chunked cross-entropy. Bit-identical on every CPU for fp32.
#pragma once
#include <cstdint>

namespace sz {

struct SoftmaxRow {
  double loss = 0;       // log sum e^x - x[label]
  bool correct = false;  // x[label] is the row's largest element, and the first such
};

// x: n logits, 0 <= label < n. With `gradient`, x becomes weight * (softmax(x) - onehot(label)).
// A NaN in x, or +inf, gives NaN. Thread: any.
SoftmaxRow softmax_row(float* x, int64_t n, int64_t label, float weight, bool gradient);
SoftmaxRow softmax_row(double* x, int64_t n, int64_t label, double weight, bool gradient);
// bf16 bits, widened into `scratch` (n floats) and, with `gradient`, rounded back to nearest even.
SoftmaxRow softmax_row(uint16_t* x, float* scratch, int64_t n, int64_t label, float weight, bool gradient);

}  // namespace sz
