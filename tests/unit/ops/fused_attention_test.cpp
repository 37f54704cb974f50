// Fused attention, forward and backward, against its definition and autograd in double, on every instruction set.
#include "ops/fused_attention.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ops/cpu.h"

namespace sz {
namespace {

constexpr int64_t kRows = 2, kHeads = 3;
using Tensors = std::vector<at::Tensor>;

// query, key, value as a block's product gives them, and the gradient of the output.
struct Inputs {
  Tensors qkv;
  at::Tensor grad;
};

Inputs draw(int64_t n, int64_t d, at::ScalarType type) {
  at::manual_seed(7);
  const at::Tensor all = at::randn({kRows, n, 3, kHeads, d}, at::kDouble).to(type).permute({2, 0, 3, 1, 4});
  return {{all[0], all[1], all[2]}, at::randn({kRows, n, kHeads, d}, at::kDouble).to(type).transpose(1, 2)};
}

// Output and the three gradients, forward's log-sum-exp last.
Tensors fused(const Inputs& in) {
  const FusedAttention forward = fused_attention(in.qkv[0], in.qkv[1], in.qkv[2]);
  const auto like = [&] { return at::empty(in.qkv[0].sizes(), in.qkv[0].options()); };
  Tensors result = {forward.output, like(), like(), like(), forward.log_sum_exp};
  fused_attention_backward(in.grad, in.qkv[0], in.qkv[1], in.qkv[2], forward, result[1], result[2], result[3]);
  return result;
}

Tensors defined(const Inputs& in) {
  Tensors qkv;
  for (const at::Tensor& t : in.qkv) qkv.push_back(t.to(at::kDouble).detach().requires_grad_());
  const int64_t n = qkv[0].size(2), d = qkv[0].size(3);
  const at::Tensor hidden = at::full({n, n}, -std::numeric_limits<double>::infinity(), at::kDouble).triu(1);
  const at::Tensor scores = at::matmul(qkv[0], qkv[1].transpose(-2, -1)) / std::sqrt(double(d)) + hidden;
  const at::Tensor output = at::matmul(at::softmax(scores, -1), qkv[2]);
  const Tensors grads = torch::autograd::grad({output}, qkv, {in.grad.to(at::kDouble)});
  return {output.detach(), grads[0], grads[1], grads[2], at::logsumexp(scores, {-1}).detach()};
}

double relative(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b).norm().item<double>() / b.norm().item<double>();
}

class FusedAttentionOnIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << name_of(GetParam());
    set_isa(GetParam());
  }
  void TearDown() override { set_isa(best_isa()); }
};

INSTANTIATE_TEST_SUITE_P(All, FusedAttentionOnIsa, testing::Values(Isa::kScalar, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(FusedAttentionOnIsa, IsItsDefinitionAndItsGradients) {
  const char* const names[] = {"output", "grad query", "grad key", "grad value", "log-sum-exp"};
  for (const auto& [n, d] : {std::pair<int64_t, int64_t>(1, 4), {5, 12}, {24, 16}, {66, 33}, {131, 64}, {40, 80}}) {
    for (const auto& [type, bound] : {std::pair(at::kFloat, 5e-6), std::pair(at::kBFloat16, 1e-2),
                                      std::pair(at::kHalf, 1e-3)}) {
      const Inputs in = draw(n, d, type);
      const Tensors mine = fused(in), theirs = defined(in);
      for (size_t i = 0; i < mine.size(); ++i) {
        if (n == 1 && (i == 1 || i == 2)) continue;  // zero: a lone key's weight is 1 whatever its score
        EXPECT_LE(relative(mine[i], theirs[i]), bound) << names[i] << ", n " << n << ", d " << d << ", " << type;
      }
    }
  }
}

// The gradient of a lone key's score is rounding alone.
TEST_P(FusedAttentionOnIsa, OneTokenSeesItself) {
  const Inputs in = draw(1, 20, at::kFloat);
  const Tensors mine = fused(in);
  EXPECT_LE((mine[0] - in.qkv[2]).abs().max().item<float>(), 1e-6);
  EXPECT_LE(mine[1].abs().max().item<float>(), 1e-5);
}

// Micro-batches pad to their longest sample: that may change no bit of the others.
TEST_P(FusedAttentionOnIsa, WhatFollowsChangesNoBit) {
  const int64_t n = 70, shorter = 41;
  Inputs longer = draw(n, 24, at::kFloat), cut;
  longer.grad.narrow(2, shorter, n - shorter).zero_();
  for (const at::Tensor& t : longer.qkv) cut.qkv.push_back(t.narrow(2, 0, shorter));
  cut.grad = longer.grad.narrow(2, 0, shorter);
  const Tensors a = fused(longer), b = fused(cut);
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(at::equal(a[i].narrow(2, 0, shorter), b[i])) << i;
}

TEST_P(FusedAttentionOnIsa, ThreadsAndTheCpuChangeNoBit) {
  const Inputs in = draw(97, 32, at::kFloat);
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  const Tensors three = fused(in);
  at::set_num_threads(1);
  set_isa(Isa::kScalar);
  const Tensors one = fused(in);
  at::set_num_threads(threads);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(three[i], one[i])) << i;
}

TEST_P(FusedAttentionOnIsa, AutogradRecordsItAndChangesNoBit) {
  for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const Inputs in = draw(29, 12, type);
    const Tensors mine = fused(in);
    Tensors leaves;
    for (const at::Tensor& t : in.qkv) leaves.push_back(t.detach().requires_grad_());
    const at::Tensor output = fused_attention(leaves[0], leaves[1], leaves[2]).output;
    EXPECT_TRUE(at::equal(output, mine[0])) << type;
    const Tensors grads = torch::autograd::grad({output}, leaves, {in.grad});
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(at::equal(grads[i], mine[1 + i])) << type << " " << i;
  }
}

TEST_P(FusedAttentionOnIsa, ANaNShowsInWhatSeesIt) {
  Inputs in = draw(30, 16, at::kFloat);
  in.qkv[1].narrow(2, 20, 1).fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor output = fused(in)[0];
  EXPECT_TRUE(output.narrow(2, 20, 10).isnan().all().item<bool>());
  EXPECT_FALSE(output.narrow(2, 0, 18).isnan().any().item<bool>());
}

}  // namespace
}  // namespace sz
