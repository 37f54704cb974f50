// GELU by its tanh formula (Hendrycks and Gimpel, 2016; GPT-2's), one pass each way, and its matrix product's bias with
// it.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) of each element, in x's dtype: fp32, bf16, fp16 or fp64, computed
// in fp32 (fp64: in fp64). The same bits on every CPU. Differentiable once. Thread: any.
at::Tensor gelu_tanh(const at::Tensor& x);

// Without autograd, as all below: x += bias, along the last dimension and in place; returns gelu_tanh(x). Dtypes equal;
// x contiguous.
at::Tensor bias_gelu_(at::Tensor& x, const at::Tensor& bias);

// grad *= d gelu(x) / dx, in place. Same shape and dtype; both contiguous.
void gelu_backward_(at::Tensor& grad, const at::Tensor& x);

// x += bias, along the last dimension. Dtypes equal, fp32, bf16 or fp16; x contiguous.
void add_bias_(at::Tensor& x, const at::Tensor& bias);

}  // namespace sz
