// Linear layer and cross-entropy in one, by chunks of rows: all logits never exist at once, and the gradients are
// formed in the forward pass, while a chunk's logits are at hand.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sz {

struct LossOutput {
  at::Tensor loss;         // [n], -log softmax(hidden weight^T)[label] in nats, not weighted; fp32 (fp64 for fp64)
  at::Tensor correct;      // [n] uint8, 1 where the label has the largest logit (the first one, among equals)
  at::Tensor grad_hidden;  // [n, d], hidden's dtype; undefined unless asked for
  at::Tensor grad_weight;  // [V, d], fp32 (fp64 for fp64), summed in it over chunks; undefined unless asked for
};

// hidden [n, d] and weight [V, d] of one dtype: fp32, bf16, fp16 or fp64; labels [n] int64; token_weight [n] fp32
// (fp64 for fp64). The gradients are those of sum_i token_weight[i] * loss[i].
//
// Rows of weight 0 are skipped (padding costs nothing): loss and correct are 0 there, the label isn't read and may
// be anything. The arithmetic is fp32, with bf16 products and logits for bf16 inputs; fp16 inputs are widened, since
// CPUs have no fast fp16 product. A NaN among a row's logits gives a NaN loss and NaN gradients.
// chunk_rows: rows whose logits exist at once, 0 for about 8 MiB of them. Memory beyond inputs and outputs is one
// chunk of logits, one of hidden rows, and for fp16 a widened weight, for bf16 one weight gradient.
// Throws Error(kData) naming the row when a counted label is outside [0, V). Records no autograd graph.
// Thread: any; runs on the caller's intra-op threads.
LossOutput linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                                const at::Tensor& token_weight, bool want_hidden_grad, bool want_weight_grad,
                                int64_t chunk_rows = 0);

}  // namespace sz
