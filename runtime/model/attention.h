// Causal self-attention over heads.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

// query [rows, heads, n, head width], key and value [rows, heads, past + n, head width] of one dtype: query i sees
// keys 0 .. past + i. Returns [rows, heads, n, head width]. Differentiable. Thread: any.
//
// fp32 and fp64 take the fused kernel, which never holds the scores. bf16 takes plain products: on CPUs with bf16
// units they are twice as fast as the fused kernel's fp32 inside, for n x n scores a head in memory. fp16 is widened
// to fp32 inside: the fused kernel's fp16 backward is several times slower.
at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

// The same without a past, bit for bit, keeping what the gradients need.
struct AttentionResult {
  at::Tensor output;
  at::Tensor kept;  // the rows' log-sum-exp [rows, heads, n], or in bf16 the probabilities [rows, heads, n, n]
};
AttentionResult causal_attention_forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

struct AttentionGradients {
  at::Tensor query, key, value;
};
// grad: like the output. `output` may be the forward's, or a copy of it of any strides.
AttentionGradients causal_attention_backward(const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key,
                                             const at::Tensor& value, const AttentionResult& result);

}  // namespace sz
