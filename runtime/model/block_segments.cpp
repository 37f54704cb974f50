#include "model/block_segments.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include "model/attention.h"
#include "model/dense.h"
#include "ops/dropout.h"
#include "ops/gelu.h"

namespace sz {
namespace {

void extend_cache(const SegmentContext& context, at::Tensor& key, at::Tensor& value) {
  at::Tensor& keys = context.cache->keys.at(context.index);
  at::Tensor& values = context.cache->values.at(context.index);
  keys = keys.defined() ? at::cat({keys, key}, 2) : key;
  values = values.defined() ? at::cat({values, value}, 2) : value;
  key = keys;
  value = values;
}

// The gradient of add_residual's branch, in the branch's dtype.
at::Tensor branch_gradient(const SegmentContext& context, const at::Tensor& grad, double p, at::ScalarType type) {
  if (!uses_randomness(context)) return grad.to(type);
  return dropout_backward(grad, p, {context.seed, context.index, 0}, context.positions).to(type);
}

// A norm's output in the products' dtype, with what its backward needs.
Normed norm_for_product(const at::Tensor& x, const TensorList& parameters) {
  Normed normed = layer_norm(x, parameters[0], parameters[1]);
  normed.y = normed.y.to(product_type(parameters[2]));
  return normed;
}

// At level 0 what forward kept at saved[at ..], else formed again.
Normed norm_again(const TensorList& saved, size_t at, const at::Tensor& x, const TensorList& parameters) {
  if (saved.size() > at) return {saved[at], saved[at + 1], saved[at + 2]};
  Normed normed = layer_norm(x, parameters[0], parameters[1]);
  normed.y = normed.y.to(saved[0].scalar_type());  // autocast is off in backward
  return normed;
}

// From the gradient of the norm's output to that of x, the residual path's added.
void finish(const at::Tensor& grad_normed, const at::Tensor& grad_residual, const at::Tensor& x, const Normed& normed,
            const TensorList& parameters, SegmentGradients& into) {
  NormGradients norm = layer_norm_backward(grad_normed, x, normed, parameters[0], parameters[1]);
  into.parameters[0] = norm.weight;
  into.parameters[1] = norm.bias;
  into.inputs = {norm.x.add_(grad_residual)};
}

}  // namespace

bool uses_randomness(const SegmentContext& context) {
  return context.mode == Mode::kTrain || context.mode == Mode::kRecompute;
}

at::Tensor add_residual(const SegmentContext& context, const at::Tensor& residual, const at::Tensor& branch, double p) {
  const at::Tensor same = branch.to(residual.scalar_type());
  if (p == 0 || !uses_randomness(context)) return residual + same;
  return dropout_add(residual, same, p, {context.seed, context.index, 0}, context.positions);
}

TensorList AttentionSegment::split_heads(const at::Tensor& qkv) const {
  const int64_t rows = qkv.size(0), cols = qkv.size(1), width = qkv.size(2) / 3;
  const at::Tensor heads = qkv.view({rows, cols, 3, heads_, width / heads_}).permute({2, 0, 3, 1, 4});
  return {heads[0], heads[1], heads[2]};
}

TensorList AttentionSegment::forward(const SegmentContext& context, const TensorList& parameters,
                                     const TensorList& inputs, TensorList* saved) const {
  const at::Tensor& x = inputs[0];
  Normed normed = norm_for_product(x, parameters);
  const at::Tensor qkv = dense(normed.y, parameters[2], parameters[3]);
  if (!saved || context.save_level > 0) normed = {};
  TensorList heads = split_heads(qkv);
  if (context.cache) extend_cache(context, heads[1], heads[2]);
  AttentionResult result;
  if (saved) {
    result = causal_attention_forward(heads[0], heads[1], heads[2]);
  } else {
    result.output = causal_attention(heads[0], heads[1], heads[2]);
  }
  const at::Tensor mixed = result.output.transpose(1, 2).reshape(x.sizes());
  if (saved) {
    *saved = {qkv, mixed, result.kept};
    if (context.save_level == 0) saved->insert(saved->end(), {normed.y, normed.mean, normed.rstd});
  }
  return {add_residual(context, x, dense(mixed, parameters[4], parameters[5]), p_)};
}

SegmentGradients AttentionSegment::backward(const SegmentContext& context, const TensorList& parameters,
                                            const TensorList& inputs, const TensorList& saved,
                                            const TensorList& grad_outputs) const {
  const c10::AutoGradMode no_graph(false);
  const at::Tensor &x = inputs[0], &qkv = saved[0], &mixed = saved[1];
  const int64_t rows = x.size(0), cols = x.size(1), width = x.size(2);
  SegmentGradients gradients;
  gradients.parameters.resize(6);

  at::Tensor grad = branch_gradient(context, grad_outputs[0], p_, qkv.scalar_type());
  const DenseGradients projection = dense_parameter_gradients(grad, mixed, parameters[4], parameters[5]);
  gradients.parameters[4] = projection.weight;
  gradients.parameters[5] = projection.bias;
  grad = dense_input_gradient(grad, parameters[4]);

  const auto by_head = [&](const at::Tensor& t) { return t.view({rows, cols, heads_, -1}).transpose(1, 2); };
  const TensorList heads = split_heads(qkv);
  const at::Tensor grad_qkv = at::empty({rows, cols, 3 * width}, qkv.options());
  const TensorList grad_heads = split_heads(grad_qkv);
  causal_attention_backward(by_head(grad), heads[0], heads[1], heads[2], {by_head(mixed), saved[2]},
                            {grad_heads[0], grad_heads[1], grad_heads[2]});

  const Normed normed = norm_again(saved, 3, x, parameters);
  const DenseGradients input = dense_parameter_gradients(grad_qkv, normed.y, parameters[2], parameters[3]);
  gradients.parameters[2] = input.weight;
  gradients.parameters[3] = input.bias;
  finish(dense_input_gradient(grad_qkv, parameters[2]), grad_outputs[0], x, normed, parameters, gradients);
  return gradients;
}

TensorList MlpSegment::forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                               TensorList* saved) const {
  const at::Tensor& x = inputs[0];
  Normed normed = norm_for_product(x, parameters);
  const auto [up, active] = dense_gelu(normed.y, parameters[2], parameters[3]);
  if (!saved || context.save_level > 0) normed = {};
  if (saved) {
    *saved = {up};
    if (context.save_level == 0) saved->insert(saved->end(), {active, normed.y, normed.mean, normed.rstd});
  }
  return {add_residual(context, x, dense(active, parameters[4], parameters[5]), p_)};
}

SegmentGradients MlpSegment::backward(const SegmentContext& context, const TensorList& parameters,
                                      const TensorList& inputs, const TensorList& saved,
                                      const TensorList& grad_outputs) const {
  const c10::AutoGradMode no_graph(false);
  const at::Tensor &x = inputs[0], &up = saved[0];
  SegmentGradients gradients;
  gradients.parameters.resize(6);

  at::Tensor grad = branch_gradient(context, grad_outputs[0], p_, up.scalar_type());
  {
    const at::Tensor active = saved.size() > 1 ? saved[1] : gelu_tanh(up);
    const DenseGradients down = dense_parameter_gradients(grad, active, parameters[4], parameters[5]);
    gradients.parameters[4] = down.weight;
    gradients.parameters[5] = down.bias;
  }
  grad = dense_input_gradient(grad, parameters[4]);
  gelu_backward_(grad, up);

  const Normed normed = norm_again(saved, 2, x, parameters);
  const DenseGradients input = dense_parameter_gradients(grad, normed.y, parameters[2], parameters[3]);
  gradients.parameters[2] = input.weight;
  gradients.parameters[3] = input.bias;
  finish(dense_input_gradient(grad, parameters[2]), grad_outputs[0], x, normed, parameters, gradients);
  return gradients;
}

}  // namespace sz
