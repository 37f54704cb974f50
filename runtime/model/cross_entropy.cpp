#include "model/services.h"

#include <ATen/TensorOperators.h>

#include "ops/linear_cross_entropy.h"

namespace sz {
namespace {

class CrossEntropy final : public Loss {
 public:
  LossResult compute(const at::Tensor& hidden, const TensorList& head, const at::Tensor& labels,
                     const at::Tensor& token_weight, bool want_gradients) const override {
    const at::Tensor flat = hidden.reshape({-1, hidden.size(-1)});
    const at::Tensor weight = token_weight.reshape({-1}).to(hidden.scalar_type() == at::kDouble ? at::kDouble
                                                                                                : at::kFloat);
    LossOutput out = linear_cross_entropy(flat, head[0], labels.reshape({-1}), weight, want_gradients, want_gradients);
    LossResult result;
    result.scalar = (out.loss * weight).sum();
    result.loss = out.loss.view(labels.sizes());
    result.correct = out.correct.view(labels.sizes());
    if (want_gradients) {
      result.grad_hidden = out.grad_hidden.view(hidden.sizes());
      result.grad_head = {out.grad_weight};
    }
    return result;
  }
};

}  // namespace

std::shared_ptr<const Loss> make_cross_entropy() { return std::make_shared<CrossEntropy>(); }

}  // namespace sz
