#include "model/dense.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/sum.h>

#include <vector>

#include "ops/gelu.h"
#include "ops/half_matmul.h"
#include "ops/linear.h"

namespace sz {
namespace {

constexpr double kNormEps = 1e-5;

at::Tensor flat(const at::Tensor& t) { return t.reshape({-1, t.size(-1)}); }
bool half(const at::Tensor& t) { return t.scalar_type() == at::kHalf; }

// In fp32 LibTorch would write the bias first and have the product read it again.
bool adds_bias_after(const at::Tensor& x) { return x.scalar_type() == at::kFloat; }

at::Tensor product(const at::Tensor& x, const at::Tensor& weight) { return sz::linear(x, weight.to(x.scalar_type())); }

// The kernel takes parameters of x's dtype, or fp32 ones beside a half-precision x.
at::Tensor norm_parameter(const at::Tensor& parameter, const at::Tensor& x) {
  const bool half = x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16;
  return half && parameter.scalar_type() == at::kFloat ? parameter : parameter.to(x.scalar_type());
}

}  // namespace

at::ScalarType product_type(const at::Tensor& weight) {
  return at::autocast::is_autocast_enabled(at::kCPU) ? at::autocast::get_autocast_dtype(at::kCPU)
                                                     : weight.scalar_type();
}

at::Tensor dense(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (adds_bias_after(x)) {
    at::Tensor y = product(x, weight);
    if (at::GradMode::is_enabled()) return y + bias.to(at::kFloat);  // the same bits
    add_bias_(y, bias.to(at::kFloat));
    return y;
  }
  return sz::linear(x, weight.to(x.scalar_type()), bias.to(x.scalar_type()));
}

Activated dense_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!adds_bias_after(x) || at::GradMode::is_enabled()) {
    const at::Tensor up = dense(x, weight, bias);
    return {up, gelu_tanh(up)};
  }
  at::Tensor up = product(x, weight);
  const at::Tensor active = bias_gelu_(up, bias.to(at::kFloat));
  return {up, active};
}

DenseGradients dense_parameter_gradients(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
                                         const at::Tensor& bias) {
  DenseGradients gradients;
  const at::Tensor rows = flat(grad);
  if (weight.requires_grad()) {
    gradients.weight = half(rows) ? half_matmul(rows.contiguous(), true, flat(x), false) : at::mm(rows.t(), flat(x));
    gradients.weight = gradients.weight.to(weight.scalar_type());
  }
  if (bias.requires_grad()) gradients.bias = at::sum(rows, at::IntArrayRef{0}, false, bias.scalar_type());
  return gradients;
}

at::Tensor dense_input_gradient(const at::Tensor& grad, const at::Tensor& weight) {
  const at::Tensor same = weight.to(grad.scalar_type());
  if (!half(grad)) return at::matmul(grad, same);
  std::vector<int64_t> shape = grad.sizes().vec();
  shape.back() = weight.size(1);
  return half_matmul(flat(grad).contiguous(), false, same, false).view(shape);
}

Normed layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  auto [y, mean, rstd] =
      at::native_layer_norm(x, {x.size(-1)}, norm_parameter(weight, x), norm_parameter(bias, x), kNormEps);
  return {y, mean, rstd};
}

NormGradients layer_norm_backward(const at::Tensor& grad, const at::Tensor& x, const Normed& normed,
                                  const at::Tensor& weight, const at::Tensor& bias) {
  auto [dx, dweight, dbias] = at::native_layer_norm_backward(
      grad.to(x.scalar_type()), x, {x.size(-1)}, normed.mean, normed.rstd, norm_parameter(weight, x),
      norm_parameter(bias, x), {true, weight.requires_grad(), bias.requires_grad()});
  NormGradients gradients{dx, {}, {}};
  if (weight.requires_grad()) gradients.weight = dweight.to(weight.scalar_type());
  if (bias.requires_grad()) gradients.bias = dbias.to(bias.scalar_type());
  return gradients;
}

}  // namespace sz
