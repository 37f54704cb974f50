#include "ops/fused_attention.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <cmath>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/dtypes.h"

namespace sz {

namespace {

// A head's matrix: elements of a row side by side, rows `step` elements apart.
struct Strided {
  void* data = nullptr;
  int64_t step = 0;
};

struct AttentionHead {
  int64_t n, d;
  DType dtype;
  float scale;
  Strided query, key, value, output;
  float* log_sum_exp;                                // [n]
  Strided grad, grad_query, grad_key, grad_value;    // backward
};

}  // namespace
}  // namespace sz

#define SZ_KERNEL "ops/fused_attention_kernel.inl"
#include "ops/simd/foreach_isa.h"

namespace sz {

namespace {

Strided head_of(const at::Tensor& t, int64_t row, int64_t head) {
  if (!t.defined()) return {};
  const int64_t offset = row * t.stride(0) + head * t.stride(1);
  return {static_cast<char*>(t.data_ptr()) + offset * t.element_size(), t.stride(2)};
}

at::Tensor with_dense_rows(const at::Tensor& t) { return t.stride(-1) == 1 ? t : t.contiguous(); }

// Floats that one head's copies and scores take, forward or backward, with some to spare.
int64_t work_of(int64_t n, int64_t d) {
  const int64_t rows = n + 64, keys = n + 128, width = d + 16;
  return 7 * rows * width + 2 * keys * width + 64 * (keys + width);
}

struct Call {
  at::Tensor query, key, value, output, log_sum_exp, grad, grad_query, grad_key, grad_value;
};

AttentionHead head_of(const Call& c, int64_t row, int64_t head) {
  const int64_t n = c.query.size(2), d = c.query.size(3);
  const auto at = [&](const at::Tensor& t) { return head_of(t, row, head); };
  float* const sums = c.log_sum_exp.data_ptr<float>() + (row * c.query.size(1) + head) * n;
  const DType dtype = kernel_dtype(c.query, "fused attention");
  return {n,           d,            dtype, 1.0f / std::sqrt(float(d)), at(c.query),      at(c.key),
          at(c.value), at(c.output), sums,  at(c.grad),                 at(c.grad_query), at(c.grad_key),
          at(c.grad_value)};
}

void run(const Call& c) {
  const int64_t heads = c.query.size(1), n = c.query.size(2), d = c.query.size(3);
  for (const at::Tensor* t : {&c.key, &c.value, &c.output}) {
    SZ_ASSERT(t->sizes() == c.query.sizes() && t->scalar_type() == c.query.scalar_type());
  }
  for (const at::Tensor* t : {&c.grad, &c.grad_query, &c.grad_key, &c.grad_value}) {
    SZ_ASSERT(!t->defined() || (t->sizes() == c.query.sizes() && t->scalar_type() == c.query.scalar_type()));
    SZ_ASSERT(!t->defined() || t->stride(-1) == 1);
  }
  if (c.query.numel() == 0) return;
  const auto kernel = SZ_DISPATCH(attention_head);
  const int64_t grain = std::max<int64_t>(1, 65536 / (n * n * d));
  at::parallel_for(0, c.query.size(0) * heads, grain, [&](int64_t begin, int64_t end) {
    const at::Tensor work = at::empty({work_of(n, d)}, at::kFloat);
    for (int64_t i = begin; i < end; ++i) kernel(head_of(c, i / heads, i % heads), work.data_ptr<float>());
  });
}

FusedAttention forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const at::NoGradGuard no_grad;
  Call c;
  c.query = with_dense_rows(query);
  c.key = with_dense_rows(key);
  c.value = with_dense_rows(value);
  const int64_t rows = query.size(0), heads = query.size(1), n = query.size(2), d = query.size(3);
  c.output = at::empty_strided({rows, heads, n, d}, {n * heads * d, d, heads * d, 1}, query.options());
  c.log_sum_exp = at::empty({rows, heads, n}, at::kFloat);
  run(c);
  return {c.output, c.log_sum_exp};
}

class FusedAttentionNode final : public torch::autograd::Node {
 public:
  FusedAttentionNode(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const FusedAttention& forward)
      : query_(query, false), key_(key, false), value_(value, false),
        forward_{forward.output.detach(), forward.log_sum_exp} {}
  std::string name() const override { return "FusedAttentionBackward"; }
  void release_variables() override {
    query_.reset_data();
    key_.reset_data();
    value_.reset_data();
    forward_ = {};
  }

 protected:
  // Inputs in the order (query, key, value).
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    torch::autograd::variable_list result(3);
    if (!grads[0].defined()) return result;
    const at::NoGradGuard no_grad;
    const at::Tensor query = query_.unpack();
    for (at::Tensor& grad : result) grad = at::empty(query.sizes(), query.options());
    fused_attention_backward(grads[0], query, key_.unpack(), value_.unpack(), forward_, result[0], result[1],
                             result[2]);
    return result;
  }

 private:
  torch::autograd::SavedVariable query_, key_, value_;
  FusedAttention forward_;
};

}  // namespace

FusedAttention fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  using namespace torch::autograd;
  FusedAttention result = forward(query, key, value);
  if (compute_requires_grad(query, key, value)) {
    auto node = std::shared_ptr<FusedAttentionNode>(new FusedAttentionNode(query, key, value, result), deleteNode);
    node->set_next_edges(collect_next_edges(query, key, value));
    set_history(result.output, node);
  }
  return result;
}

void fused_attention_backward(const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const FusedAttention& forward, const at::Tensor& grad_query,
                              const at::Tensor& grad_key, const at::Tensor& grad_value) {
  const at::NoGradGuard no_grad;
  run({with_dense_rows(query), with_dense_rows(key), with_dense_rows(value), with_dense_rows(forward.output),
       forward.log_sum_exp.contiguous(), with_dense_rows(grad), grad_query, grad_key, grad_value});
}

}  // namespace sz
