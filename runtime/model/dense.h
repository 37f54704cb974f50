// Linear layers and layer norms with their gradients, for segments with a hand-written backward.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

// What matrix products with this weight run in: bf16 under autocast, else the weight's dtype.
at::ScalarType product_type(const at::Tensor& weight);

// x W^T + b, by the fastest route of ops/linear.h. x: [..., in] of the product's dtype; weight [out, in] and bias [out]
// are cast to it. Differentiable.
at::Tensor dense(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// The same, and its GELU (ops/gelu.h).
struct Activated {
  at::Tensor up, active;
};
Activated dense_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Undefined where the parameter takes no gradient; in the parameter's dtype.
struct DenseGradients {
  at::Tensor weight, bias;
};

// Gradients of a linear layer's parameters: grad [..., out] and x [..., in] of one dtype. Records no graph.
DenseGradients dense_parameter_gradients(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
                                         const at::Tensor& bias);
// The gradient of its input, [..., in] in grad's dtype.
at::Tensor dense_input_gradient(const at::Tensor& grad, const at::Tensor& weight);

// A layer norm over the last dimension (Ba et al., 2016), eps 1e-5, and what its gradients need.
struct Normed {
  at::Tensor y, mean, rstd;  // y: x's shape and dtype
};

// x: any floating dtype; weight and bias [width]: x's dtype or fp32, others are cast. Differentiable in y.
Normed layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

struct NormGradients {
  at::Tensor x;             // x's shape and dtype, of its own
  at::Tensor weight, bias;  // undefined where the parameter takes no gradient
};

// grad: x's shape. Records no graph.
NormGradients layer_norm_backward(const at::Tensor& grad, const at::Tensor& x, const Normed& normed,
                                  const at::Tensor& weight, const at::Tensor& bias);

}  // namespace sz
