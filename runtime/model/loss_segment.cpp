#include "model/loss_segment.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>

namespace sz {

TensorList LossSegment::forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                                TensorList* saved) const {
  const bool low = at::autocast::is_autocast_enabled(at::kCPU);
  const auto cast = [low](const at::Tensor& t) { return low ? t.to(at::kBFloat16) : t; };
  TensorList head;
  for (const at::Tensor& parameter : parameters) head.push_back(cast(parameter.detach()));
  LossResult result = loss_->compute(cast(inputs[0].detach()), head, inputs[1], inputs[2], saved != nullptr);
  if (saved) {
    *saved = {result.grad_hidden};
    saved->insert(saved->end(), result.grad_head.begin(), result.grad_head.end());
  }
  return {result.scalar, result.loss, result.correct};
}

SegmentGradients LossSegment::backward(const SegmentContext&, const TensorList& parameters, const TensorList& inputs,
                                       const TensorList& saved, const TensorList& grad_outputs) const {
  const double factor = grad_outputs[0].item<double>();
  const auto scaled = [factor](const at::Tensor& t, at::ScalarType type) {
    return (factor == 1.0 ? t : t * factor).to(type);
  };
  SegmentGradients gradients;
  gradients.inputs = {scaled(saved[0], inputs[0].scalar_type()), at::Tensor(), at::Tensor()};
  for (size_t i = 0; i < parameters.size(); ++i) {
    // The head's gradient stays in the loss's accumulation dtype: casting it is the residency's affair.
    gradients.parameters.push_back(scaled(saved[1 + i], saved[1 + i].scalar_type()));
  }
  return gradients;
}

}  // namespace sz
