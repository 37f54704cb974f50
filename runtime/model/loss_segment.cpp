#include "model/loss_segment.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>

namespace sz {
namespace {

// bf16 where the hidden states come in it or autocast says so, the head's parameters being cast at each use. fp16 is
// left to losses that widen it themselves, so only where the head is in fp16 too; fp16 autocast spares the loss.
at::ScalarType product_type(const TensorList& head, const at::Tensor& hidden) {
  if (at::autocast::is_autocast_enabled(at::kCPU) && at::autocast::get_autocast_dtype(at::kCPU) == at::kBFloat16) {
    return at::kBFloat16;
  }
  if (hidden.scalar_type() != at::kHalf) return hidden.scalar_type();
  for (const at::Tensor& parameter : head) {
    if (parameter.scalar_type() != at::kHalf) return at::kFloat;
  }
  return at::kHalf;
}

}  // namespace


TensorList LossSegment::forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                                TensorList* saved) const {
  const at::ScalarType type = product_type(parameters, inputs[0]);
  TensorList head;
  for (const at::Tensor& parameter : parameters) head.push_back(parameter.detach().to(type));
  LossResult result = loss_->compute(inputs[0].detach().to(type), head, inputs[1], inputs[2], saved != nullptr);
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
