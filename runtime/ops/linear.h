// A linear layer in whatever dtype its arguments have, each by its fastest route.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

// x [..., in], weight [out, in], bias [out] or undefined, all of one dtype: x weight^T + bias, [..., out].
// fp16: ops/half_matmul.h, forward and backward, sums in fp32. fp32, bf16, fp64: at::linear, with its own backward.
// Under autocast all three are cast to its dtype first. Differentiable once. Thread: any.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

}  // namespace sz
