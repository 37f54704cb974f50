#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/triu.h>

#include <cmath>
#include <limits>

namespace sz {
namespace {

// [n, past + n]: 0 where query i may see key j, -inf where not.
at::Tensor causal_bias(int64_t n, int64_t keys, const at::TensorOptions& options) {
  return at::triu(at::full({n, keys}, -std::numeric_limits<double>::infinity(), options), keys - n + 1);
}

at::Tensor plain_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const double scale = 1.0 / std::sqrt(double(query.size(-1)));
  at::Tensor scores = at::matmul(query * scale, key.transpose(-2, -1));
  if (query.size(-2) > 1) scores = scores + causal_bias(query.size(-2), key.size(-2), scores.options());
  return at::matmul(at::softmax(scores, -1), value);
}

}  // namespace

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  if (query.scalar_type() == at::kBFloat16) return plain_attention(query, key, value);
  const int64_t n = query.size(-2), keys = key.size(-2);
  if (n == keys) return at::scaled_dot_product_attention(query, key, value, {}, 0.0, /*is_causal=*/true);
  if (n == 1) return at::scaled_dot_product_attention(query, key, value);
  return at::scaled_dot_product_attention(query, key, value, causal_bias(n, keys, query.options()));
}

}  // namespace sz
