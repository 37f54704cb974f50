#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/triu.h>

#include <cmath>
#include <limits>

namespace sz {
namespace {

bool takes_plain_products(const at::Tensor& query) { return query.scalar_type() == at::kBFloat16; }

double scale_of(const at::Tensor& query) { return 1.0 / std::sqrt(double(query.size(-1))); }

// [n, past + n]: 0 where query i may see key j, -inf where not.
at::Tensor causal_bias(int64_t n, int64_t keys, const at::TensorOptions& options) {
  return at::triu(at::full({n, keys}, -std::numeric_limits<double>::infinity(), options), keys - n + 1);
}

at::Tensor probabilities(const at::Tensor& query, const at::Tensor& key) {
  at::Tensor scores = at::matmul(query * scale_of(query), key.transpose(-2, -1));
  if (query.size(-2) > 1) scores = scores + causal_bias(query.size(-2), key.size(-2), scores.options());
  return at::softmax(scores, -1);
}

AttentionGradients plain_backward(const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, const at::Tensor& probability) {
  const double scale = scale_of(query);
  AttentionGradients gradients;
  gradients.value = at::matmul(probability.transpose(-2, -1), grad);
  const at::Tensor grad_scores = at::_softmax_backward_data(at::matmul(grad, value.transpose(-2, -1)), probability, -1,
                                                            probability.scalar_type());
  gradients.query = at::matmul(grad_scores, key) * scale;
  gradients.key = at::matmul(grad_scores.transpose(-2, -1), query * scale);
  return gradients;
}

// fp16 in fp32; others as they are.
at::Tensor widened(const at::Tensor& t) { return t.scalar_type() == at::kHalf ? t.to(at::kFloat) : t; }

}  // namespace

AttentionResult causal_attention_forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  if (takes_plain_products(query)) {
    const at::Tensor probability = probabilities(query, key);
    return {at::matmul(probability, value), probability};
  }
  auto [output, log_sum_exp] = at::_scaled_dot_product_flash_attention_for_cpu(widened(query), widened(key),
                                                                               widened(value), 0.0, /*is_causal=*/true);
  return {output.to(query.scalar_type()), log_sum_exp};
}

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const int64_t n = query.size(-2), keys = key.size(-2);
  // The very kernel of a pass that keeps its result: sdpa would be cast by autocast, and give other bits.
  if (n == keys) return causal_attention_forward(query, key, value).output;
  if (takes_plain_products(query)) return at::matmul(probabilities(query, key), value);
  const at::Tensor q = widened(query), k = widened(key), v = widened(value);
  const auto attend = [&](const std::optional<at::Tensor>& bias) {
    return at::scaled_dot_product_attention(q, k, v, bias).to(query.scalar_type());
  };
  return n == 1 ? attend({}) : attend(causal_bias(n, keys, q.options()));
}

AttentionGradients causal_attention_backward(const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key,
                                             const at::Tensor& value, const AttentionResult& result) {
  if (takes_plain_products(query)) return plain_backward(grad, query, key, value, result.kept);
  auto [q, k, v] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
      widened(grad), widened(query), widened(key), widened(value), widened(result.output), result.kept, 0.0,
      /*is_causal=*/true);
  return {q, k, v};
}

}  // namespace sz
