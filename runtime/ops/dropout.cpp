#include "ops/dropout.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/rng.h"

namespace sz {

namespace {

// What a stretch of one sample needs.
struct DropoutSpan {
  uint64_t key, counter_high;
  uint64_t first;      // index within the sample of the stretch's first element
  uint32_t threshold;  // dropped below it, of 65536
  float scale;
  double scale_double;
};

}  // namespace
}  // namespace sz

#define SZ_KERNEL "ops/dropout_kernel.inl"
#include "ops/simd/foreach_isa.h"

namespace sz {

namespace {

constexpr int64_t kPiece = 8192;  // elements a task, a multiple of 128

using SpanKernel = void (*)(const void*, const void*, void*, int64_t, const DropoutSpan&);

SpanKernel kernel_of(at::ScalarType type) {
  switch (type) {
    case at::kFloat: return SZ_DISPATCH(dropout_fp32);
    case at::kHalf: return SZ_DISPATCH(dropout_fp16);
    case at::kBFloat16: return SZ_DISPATCH(dropout_bf16);
    case at::kDouble: return SZ_DISPATCH(dropout_fp64);
    default: throw Error(Exit::kInternal, "dropout takes fp32, bf16, fp16 or fp64");
  }
}

uint32_t threshold_of(double p) {
  SZ_ASSERT(p >= 0 && p < 1);
  return std::min<uint32_t>(uint32_t(p * 65536 + 0.5), 65535);
}

uint64_t counter_high_of(const DropoutKey& key) { return uint64_t(key.segment) << 32 | key.draw; }

// y = [residual +] dropout(x), all contiguous, [rows, cols, width]; y may be x.
void apply_dropout(const at::Tensor* residual, const at::Tensor& x, at::Tensor& y, double p, const DropoutKey& key,
                   std::span<const uint64_t> positions) {
  const int64_t rows = x.size(0);
  SZ_ASSERT(int64_t(positions.size()) == rows);
  if (x.numel() == 0) return;
  const int64_t sample = x.numel() / rows, pieces = (sample + kPiece - 1) / kPiece;
  const int64_t bytes = int64_t(x.element_size());
  const SpanKernel kernel = kernel_of(x.scalar_type());
  const double scale = 1 / (1 - p);
  const auto* from = static_cast<const char*>(x.const_data_ptr());
  const auto* base = residual ? static_cast<const char*>(residual->const_data_ptr()) : nullptr;
  auto* to = static_cast<char*>(y.data_ptr());
  at::parallel_for(0, rows * pieces, 4, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task / pieces, first = task % pieces * kPiece;
      const int64_t offset = (row * sample + first) * bytes;
      const DropoutSpan span{mix(key.seed, positions[size_t(row)]), counter_high_of(key), uint64_t(first),
                             threshold_of(p), float(scale), scale};
      kernel(base ? base + offset : nullptr, from + offset, to + offset, std::min(kPiece, sample - first), span);
    }
  });
}

// Backward regenerates the mask: nothing of the forward pass is kept but the key.
class DropoutNode final : public torch::autograd::Node {
 public:
  DropoutNode(double p, const DropoutKey& key, std::span<const uint64_t> positions, bool adds)
      : p_(p), key_(key), positions_(positions.begin(), positions.end()), adds_(adds) {}

  std::string name() const override { return adds_ ? "DropoutAddBackward" : "DropoutBackward"; }

 protected:
  // Inputs in the order (x[, residual]).
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    torch::autograd::variable_list result(adds_ ? 2 : 1);
    if (!grads[0].defined()) return result;
    if (task_should_compute_output(0)) result[0] = dropout_backward(grads[0], p_, key_, positions_);
    if (adds_ && task_should_compute_output(1)) result[1] = grads[0];
    return result;
  }

 private:
  double p_;
  DropoutKey key_;
  std::vector<uint64_t> positions_;
  bool adds_;
};

at::Tensor run(const at::Tensor* residual, const at::Tensor& x, double p, const DropoutKey& key,
               std::span<const uint64_t> positions) {
  using namespace torch::autograd;
  const bool differentiable = residual ? compute_requires_grad(x, *residual) : compute_requires_grad(x);
  at::Tensor y;
  {
    at::NoGradGuard no_grad;
    const at::Tensor from = x.contiguous(), base = residual ? residual->contiguous() : at::Tensor();
    y = at::empty_like(from);
    apply_dropout(residual ? &base : nullptr, from, y, p, key, positions);
  }
  if (differentiable) {
    auto node = std::shared_ptr<DropoutNode>(new DropoutNode(p, key, positions, residual != nullptr), deleteNode);
    node->set_next_edges(residual ? collect_next_edges(x, *residual) : collect_next_edges(x));
    set_history(y, node);
  }
  return y;
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, double p, const DropoutKey& key, std::span<const uint64_t> positions) {
  return p == 0 ? x : run(nullptr, x, p, key, positions);
}

at::Tensor dropout_add(const at::Tensor& residual, const at::Tensor& x, double p, const DropoutKey& key,
                       std::span<const uint64_t> positions) {
  SZ_ASSERT(residual.sizes() == x.sizes() && residual.scalar_type() == x.scalar_type());
  return p == 0 ? at::add(residual, x) : run(&residual, x, p, key, positions);
}

void dropout_forward_(at::Tensor& x, double p, const DropoutKey& key, std::span<const uint64_t> positions) {
  SZ_ASSERT(x.is_contiguous());
  if (p > 0) apply_dropout(nullptr, x, x, p, key, positions);
}

at::Tensor dropout_backward(const at::Tensor& grad_output, double p, const DropoutKey& key,
                            std::span<const uint64_t> positions) {
  if (p == 0) return grad_output;
  at::NoGradGuard no_grad;
  const at::Tensor from = grad_output.contiguous();
  at::Tensor grad = at::empty_like(from);
  apply_dropout(nullptr, from, grad, p, key, positions);
  return grad;
}

bool dropout_keeps(double p, const DropoutKey& key, uint64_t position, uint64_t element) {
  const Philox4 words = philox(mix(key.seed, position), 16 * (element / 128) + element % 16, counter_high_of(key));
  const uint64_t number = element % 128 / 16;
  return (words[number / 2] >> (16 * (number % 2)) & 0xFFFFu) >= threshold_of(p);
}

}  // namespace sz
