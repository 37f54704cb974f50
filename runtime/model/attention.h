// Causal self-attention over heads.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

// query [rows, heads, n, head width], key and value [rows, heads, past + n, head width] of one dtype: query i sees
// keys 0 .. past + i. Returns [rows, heads, n, head width]. Differentiable. Thread: any.
//
// fp32 and fp64 take the fused kernel, which never holds the scores. bf16 takes plain products: on CPUs with bf16
// units they are twice as fast as the fused kernel's fp32 inside, for n x n scores a head in memory.
at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

}  // namespace sz
