#include "model/attention.h"

#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/full.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/triu.h>

#include <limits>
#include <optional>

#include "ops/fused_attention.h"

namespace sz {
namespace {

// LibTorch's kernel is slow in fp16.
at::Tensor widened(const at::Tensor& t) { return t.scalar_type() == at::kHalf ? t.to(at::kFloat) : t; }

bool wide(const at::Tensor& t) { return t.scalar_type() == at::kDouble; }

// [n, past + n]: 0 where query i may see key j, -inf where not.
at::Tensor causal_bias(int64_t n, int64_t keys, const at::TensorOptions& options) {
  return at::triu(at::full({n, keys}, -std::numeric_limits<double>::infinity(), options), keys - n + 1);
}

}  // namespace

AttentionResult causal_attention_forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  if (!wide(query)) {
    FusedAttention fused = fused_attention(query, key, value);
    return {std::move(fused.output), std::move(fused.log_sum_exp)};
  }
  const auto [output, log_sum_exp] =
      at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, /*is_causal=*/true);
  return {output, log_sum_exp};
}

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const int64_t n = query.size(-2), keys = key.size(-2);
  if (n == keys) return causal_attention_forward(query, key, value).output;
  const at::Tensor q = widened(query), k = widened(key), v = widened(value);
  const auto attend = [&](const std::optional<at::Tensor>& bias) {
    return at::scaled_dot_product_attention(q, k, v, bias).to(query.scalar_type());
  };
  return n == 1 ? attend({}) : attend(causal_bias(n, keys, q.options()));
}

void causal_attention_backward(const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value, const AttentionResult& result, const AttentionGradients& into) {
  if (!wide(query)) {
    return fused_attention_backward(grad, query, key, value, {result.output, result.kept}, into.query, into.key,
                                    into.value);
  }
  const auto [q, k, v] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
      grad, query, key, value, result.output, result.kept, 0.0, /*is_causal=*/true);
  into.query.copy_(q);
  into.key.copy_(k);
  into.value.copy_(v);
}

}  // namespace sz
