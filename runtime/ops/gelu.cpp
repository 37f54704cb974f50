#include "ops/gelu.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/dtypes.h"

namespace sz {

namespace {

// Elements [0, n) of a pass: y = gelu(x); or rows of `width`, x += bias and, with a y, y = gelu(x); or with `slope`,
// y *= d gelu(x) / dx.
struct GeluStretch {
  int64_t n, width;
  void *x, *y;
  const void* bias;
  bool slope;
};

}  // namespace
}  // namespace sz

#define SZ_KERNEL "ops/gelu_kernel.inl"
#include "ops/simd/foreach_isa.h"

namespace sz {

namespace {

constexpr int64_t kPiece = 8192;  // elements a task, about

void run(const at::Tensor& x, const at::Tensor& y, const at::Tensor& bias, bool slope) {
  SZ_ASSERT(x.is_contiguous() && (!y.defined() || (y.is_contiguous() && y.numel() == x.numel())));
  SZ_ASSERT(!y.defined() || y.scalar_type() == x.scalar_type());
  SZ_ASSERT(!bias.defined() || (bias.scalar_type() == x.scalar_type() && bias.numel() == x.size(-1)));
  if (x.numel() == 0) return;
  const int64_t bytes = x.element_size(), width = bias.defined() ? x.size(-1) : 1;
  const int64_t rows = x.numel() / width, piece = std::max<int64_t>(1, kPiece / width);
  const DType dtype = kernel_dtype(x, "GELU's kernel");
  const auto kernel = SZ_DISPATCH(gelu_pass);
  at::parallel_for(0, (rows + piece - 1) / piece, 2, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * piece * width, last = std::min(end * piece, rows) * width;
    const auto at = [&](const at::Tensor& t) {
      return t.defined() ? static_cast<void*>(static_cast<char*>(t.data_ptr()) + first * bytes) : nullptr;
    };
    kernel({last - first, width, at(x), at(y), bias.defined() ? bias.const_data_ptr() : nullptr, slope}, dtype);
  });
}

class GeluNode final : public torch::autograd::Node {
 public:
  explicit GeluNode(const at::Tensor& x) : x_(x, false) {}
  std::string name() const override { return "GeluTanhBackward"; }
  void release_variables() override { x_.reset_data(); }

 protected:
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    if (!grads[0].defined()) return {at::Tensor()};
    const at::NoGradGuard no_grad;
    at::Tensor grad = grads[0].clone(at::MemoryFormat::Contiguous);
    gelu_backward_(grad, x_.unpack());
    return {grad};
  }

 private:
  torch::autograd::SavedVariable x_;
};

}  // namespace

at::Tensor gelu_tanh(const at::Tensor& x) {
  using namespace torch::autograd;
  if (x.scalar_type() == at::kDouble) return at::gelu(x, "tanh");
  const at::Tensor from = x.contiguous();
  at::Tensor y;
  {
    const at::NoGradGuard no_grad;
    y = at::empty_like(from);
    run(from, y, {}, false);
  }
  if (compute_requires_grad(from)) {
    auto node = std::shared_ptr<GeluNode>(new GeluNode(from), deleteNode);
    node->set_next_edges(collect_next_edges(from));
    set_history(y, node);
  }
  return y;
}

at::Tensor bias_gelu_(at::Tensor& x, const at::Tensor& bias) {
  const at::NoGradGuard no_grad;
  if (x.scalar_type() == at::kDouble) return gelu_tanh(x.add_(bias));
  at::Tensor y = at::empty_like(x);
  run(x, y, bias.contiguous(), false);
  return y;
}

void gelu_backward_(at::Tensor& grad, const at::Tensor& x) {
  const at::NoGradGuard no_grad;
  if (x.scalar_type() == at::kDouble) {
    at::gelu_backward_out(grad, grad, x, "tanh");
  } else {
    run(x, grad, {}, true);
  }
}

void add_bias_(at::Tensor& x, const at::Tensor& bias) {
  const at::NoGradGuard no_grad;
  run(x, {}, bias.contiguous(), false);
}

}  // namespace sz
