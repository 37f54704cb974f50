#include "ops/linear.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include "ops/half_matmul.h"

namespace sz {
namespace {

at::Tensor flat(const at::Tensor& t) { return t.reshape({-1, t.size(-1)}); }

class HalfLinearNode final : public torch::autograd::Node {
 public:
  HalfLinearNode(const at::Tensor& x, const at::Tensor& weight, bool has_bias)
      : x_(x, false), weight_(weight, false), has_bias_(has_bias) {}

  std::string name() const override { return "HalfLinearBackward"; }
  void release_variables() override {
    x_.reset_data();
    weight_.reset_data();
  }

 protected:
  // Inputs in the order (x, weight[, bias]).
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    torch::autograd::variable_list result(has_bias_ ? 3 : 2);
    if (!grads[0].defined()) return result;
    const at::NoGradGuard no_grad;
    const at::Tensor x = x_.unpack(), weight = weight_.unpack(), grad = flat(grads[0]).contiguous();
    if (task_should_compute_output(0)) result[0] = half_matmul(grad, false, weight, false).view(x.sizes());
    if (task_should_compute_output(1)) result[1] = half_matmul(grad, true, flat(x), false);
    if (has_bias_ && task_should_compute_output(2)) result[2] = at::sum(grad, 0);
    return result;
  }

 private:
  torch::autograd::SavedVariable x_, weight_;
  bool has_bias_;
};

at::Tensor half_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  using namespace torch::autograd;
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  at::Tensor y;
  {
    const at::NoGradGuard no_grad;
    y = half_matmul(flat(x), false, weight, true, bias).view(shape);
  }
  if (compute_requires_grad(x, weight, bias)) {
    auto node = std::shared_ptr<HalfLinearNode>(new HalfLinearNode(x, weight, bias.defined()), deleteNode);
    node->set_next_edges(bias.defined() ? collect_next_edges(x, weight, bias) : collect_next_edges(x, weight));
    set_history(y, node);
  }
  return y;
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (at::autocast::is_autocast_enabled(at::kCPU) && x.scalar_type() != at::kDouble) {
    const at::ScalarType low = at::autocast::get_autocast_dtype(at::kCPU);
    if (x.scalar_type() != low || weight.scalar_type() != low) {
      return linear(x.to(low), weight.to(low), bias.defined() ? bias.to(low) : bias);
    }
  }
  if (x.scalar_type() != at::kHalf) return at::linear(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
  return half_linear(x, weight, bias);
}

}  // namespace sz
