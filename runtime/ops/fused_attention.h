// Causal self-attention that never holds the scores (Dao et al., 2022: FlashAttention), in registers and cache of one
// core a head. Products and sums are in fp32 and in an order that depends on nothing but a query's place: the same bits
// on every CPU, for any number of threads, whatever padding follows and whatever else is in the batch.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

struct FusedAttention {
  at::Tensor output;         // like query; in memory [rows, n, heads, d]
  at::Tensor log_sum_exp;    // [rows, heads, n], fp32
};

// query, key, value: [rows, heads, n, d] of one dtype, fp32, bf16 or fp16, of any strides but d's, which is 1.
// Query i sees keys 0 .. i; scores are scaled by d^-1/2. Differentiable once, in output. Thread: any.
FusedAttention fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

// Writes the gradients of query, key and value into tensors of their shape and dtype, strides as above.
// grad and output: of the forward's output, or a copy of it.
void fused_attention_backward(const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const FusedAttention& forward, const at::Tensor& grad_query,
                              const at::Tensor& grad_key, const at::Tensor& grad_value);

}  // namespace sz
