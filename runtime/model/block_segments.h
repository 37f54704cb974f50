// The two segments of a transformer block, with hand-written backward passes.
//
// Save levels (model/segment.h): 1 drops the norms' and the activation's outputs and forms them again in backward,
// with the same kernels from the same inputs, so bit for bit; matrix products and attention are kept. Dropout masks
// are never kept (ops/dropout.h).
#pragma once
#include "model/segment.h"

namespace sz {

// residual + dropout(branch), a segment's only draw; without randomness residual + branch. The branch may come in
// another dtype.
at::Tensor add_residual(const SegmentContext& context, const at::Tensor& residual, const at::Tensor& branch, double p);
bool uses_randomness(const SegmentContext& context);

// {norm weight, norm bias, qkv weight, qkv bias, projection weight, projection bias}, {x [rows, cols, width]} -> {x}
class AttentionSegment final : public Segment {
 public:
  AttentionSegment(int64_t heads, double p) : heads_(heads), p_(p) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override;
  bool has_backward() const override { return true; }
  SegmentGradients backward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                            const TensorList& saved, const TensorList& grad_outputs) const override;
  int save_levels() const override { return 1; }

 private:
  // [rows, cols, 3 width] as {query, key, value}, each [rows, heads, cols, head width].
  TensorList split_heads(const at::Tensor& qkv) const;

  int64_t heads_;
  double p_;
};

// {norm weight, norm bias, up weight, up bias, down weight, down bias}, {x [rows, cols, width]} -> {x}
class MlpSegment final : public Segment {
 public:
  explicit MlpSegment(double p) : p_(p) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override;
  bool has_backward() const override { return true; }
  SegmentGradients backward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                            const TensorList& saved, const TensorList& grad_outputs) const override;
  int save_levels() const override { return 1; }

 private:
  double p_;
};

}  // namespace sz
