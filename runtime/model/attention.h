// Causal self-attention over heads.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

// query [rows, heads, n, head width], key and value [rows, heads, past + n, head width] of one dtype: query i sees
// keys 0 .. past + i. Returns [rows, heads, n, head width]. Differentiable. Thread: any.
//
// Without a past fp32, bf16 and fp16 take ops/fused_attention.h; fp64 and whatever has a past take LibTorch's fused kernel
// (fp16 widened to fp32 there). Neither ever holds the scores. Whether autograd records changes no bit.
at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

// The same without a past, bit for bit, keeping what the gradients need.
struct AttentionResult {
  at::Tensor output;
  at::Tensor kept;  // the rows' log-sum-exp [rows, heads, n]
};
AttentionResult causal_attention_forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

// Writes the gradients into tensors of the shapes and the dtype of query, key and value, whose heads lie side by side.
// grad: like the output. result.output may be the forward's, or a copy of it of any strides.
struct AttentionGradients {
  at::Tensor query, key, value;
};
void causal_attention_backward(const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value, const AttentionResult& result, const AttentionGradients& into);

}  // namespace sz
