// The last training segment: a loss service with the head's parameters, as a segment.
#pragma once
#include <memory>

#include "model/segment.h"
#include "model/services.h"

namespace sz {

// {hidden, labels, token weight} -> {scalar, per-token loss, per-token correct}. Gradients are formed in forward;
// backward only multiplies them by the scalar's gradient. Under bf16 autocast products run in bf16.
class LossSegment final : public Segment {
 public:
  explicit LossSegment(std::shared_ptr<const Loss> loss) : loss_(std::move(loss)) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override;
  bool has_backward() const override { return true; }
  SegmentGradients backward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                            const TensorList& saved, const TensorList& grad_outputs) const override;

 private:
  std::shared_ptr<const Loss> loss_;
};

}  // namespace sz
