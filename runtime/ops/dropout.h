// Counter-based dropout: whether an element is dropped is a pure function of (seed, the sample's position in the
// data order, segment, draw, the element's index within the sample), never of micro-batch shape, padding, thread
// count, CPU or rank. So the backward pass and recompute regenerate the mask instead of keeping it.
//
// Let e = t * width + c. Philox4x32-10 (base/rng.h) with key mix(seed, position) and counter
// (16 * (e / 128) + e % 16, segment << 32 | draw) gives eight 16-bit numbers; element e takes number (e % 128) / 16
// (low half of word 0, high half of word 0, low half of word 1, ...) and is dropped when it is less than
// round(p * 65536).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace sz {

struct DropoutKey {
  uint64_t seed = 0;
  uint32_t segment = 0;
  uint32_t draw = 0;  // counts the dropouts within a segment
};

// x: [rows, cols, width], fp32, bf16, fp16 or fp64; positions: one per row, copied; 0 <= p < 1.
// Returns x with dropped elements 0 and kept ones times 1 / (1 - p); x itself when p is 0. Differentiable once.
// Thread: any; runs on the caller's intra-op threads.
at::Tensor dropout(const at::Tensor& x, double p, const DropoutKey& key, std::span<const uint64_t> positions);

// residual + dropout(x), in one pass, rounded once. Same shapes and dtypes.
at::Tensor dropout_add(const at::Tensor& residual, const at::Tensor& x, double p, const DropoutKey& key,
                       std::span<const uint64_t> positions);

// Without autograd, for hand-written segments.
// In place: x = dropout(x). x must be contiguous.
void dropout_forward_(at::Tensor& x, double p, const DropoutKey& key, std::span<const uint64_t> positions);
// The gradient of dropout's input, from its output's.
at::Tensor dropout_backward(const at::Tensor& grad_output, double p, const DropoutKey& key,
                            std::span<const uint64_t> positions);

// The definition above, for one element. True: kept.
bool dropout_keeps(double p, const DropoutKey& key, uint64_t position, uint64_t element);

}  // namespace sz
