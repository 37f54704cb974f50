#include "ops/linear_cross_entropy.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/allocator.h"
#include "ops/cpu.h"

namespace sz {
namespace {

struct Inputs {
  at::Tensor hidden, weight, labels, token_weight;
};

// Every third row carries no weight and a label that mustn't be read.
Inputs make_inputs(int64_t n, int64_t vocabulary, int64_t width, at::ScalarType dtype, bool padding = true) {
  at::Tensor labels = at::randint(0, vocabulary, {n}, at::kLong), weights = at::rand({n}) + 0.1;
  if (padding) {
    for (int64_t i = 0; i < n; i += 3) {
      labels[i] = -1;
      weights[i] = 0;
    }
  }
  const auto wide = dtype == at::kDouble ? at::kDouble : at::kFloat;
  return {at::randn({n, width}).to(dtype), (at::randn({vocabulary, width}) * 0.3).to(dtype), labels, weights.to(wide)};
}

LossOutput run(const Inputs& in, int64_t chunk_rows = 0, bool grad_hidden = true, bool grad_weight = true) {
  return linear_cross_entropy(in.hidden, in.weight, in.labels, in.token_weight, grad_hidden, grad_weight, chunk_rows);
}

// By autograd in double, over the inputs' values.
struct Reference {
  at::Tensor loss, correct, grad_hidden, grad_weight;
};

Reference reference(const Inputs& in) {
  const at::Tensor hidden = in.hidden.to(at::kDouble).detach().clone().requires_grad_();
  const at::Tensor weight = in.weight.to(at::kDouble).detach().clone().requires_grad_();
  const at::Tensor mask = in.token_weight.ne(0), labels = in.labels * mask;
  const at::Tensor logits = at::linear(hidden, weight);
  const at::Tensor loss = at::cross_entropy_loss(logits, labels, {}, /*reduction=none*/ 0);
  (loss * in.token_weight).sum().backward();
  return {(loss * mask).detach(), logits.argmax(1).eq(labels) * mask, hidden.grad(), weight.grad()};
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble);
  return ((x - y).abs().max() / y.abs().max()).item<double>();
}

void expect_close(const Inputs& in, const LossOutput& out, double tolerance) {
  const Reference expected = reference(in);
  EXPECT_LT(difference(out.loss, expected.loss), tolerance);
  EXPECT_LT(difference(out.grad_hidden, expected.grad_hidden), tolerance);
  EXPECT_LT(difference(out.grad_weight, expected.grad_weight), tolerance);
  EXPECT_EQ(out.grad_hidden.scalar_type(), in.hidden.scalar_type());
}

class LossOnIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << name_of(GetParam());
    set_isa(GetParam());
  }
  void TearDown() override { set_isa(best_isa()); }
};

INSTANTIATE_TEST_SUITE_P(All, LossOnIsa, testing::Values(Isa::kScalar, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(LossOnIsa, AgreesWithCrossEntropy) {
  for (int64_t vocabulary : {1, 7, 16, 333}) {
    for (bool padding : {false, true}) {
      const Inputs in = make_inputs(50, vocabulary, 24, at::kFloat, padding);
      if (vocabulary == 1) {  // loss and gradients are all zero
        EXPECT_EQ(run(in).loss.abs().max().item<float>(), 0);
        EXPECT_LT(run(in).grad_hidden.abs().max().item<float>(), 1e-7);
        continue;
      }
      const LossOutput out = run(in);
      expect_close(in, out, 1e-5);
      EXPECT_TRUE(at::equal(out.correct.to(at::kBool), reference(in).correct.to(at::kBool)));
    }
  }
}

TEST_P(LossOnIsa, SameBitsAsScalar) {
  const Inputs in = make_inputs(40, 517, 16, at::kFloat);
  const LossOutput out = run(in);
  set_isa(Isa::kScalar);
  const LossOutput scalar = run(in);
  EXPECT_TRUE(at::equal(out.loss, scalar.loss));
  EXPECT_TRUE(at::equal(out.grad_hidden, scalar.grad_hidden));
  EXPECT_TRUE(at::equal(out.grad_weight, scalar.grad_weight));
}

TEST_P(LossOnIsa, NotANumberIsReported) {
  for (int64_t where : {0, 5, 33}) {
    Inputs in = make_inputs(4, 34, 8, at::kFloat, false);
    in.weight[where][3] = std::numeric_limits<float>::quiet_NaN();
    const LossOutput out = run(in);
    EXPECT_TRUE(out.loss.isnan().all().item<bool>());
    EXPECT_TRUE(out.grad_hidden.isnan().all().item<bool>());
    EXPECT_EQ(out.correct.sum().item<int64_t>(), 0);
  }
  Inputs in = make_inputs(4, 34, 8, at::kFloat, false);
  in.hidden[2] = std::numeric_limits<float>::infinity();
  const LossOutput out = run(in);
  EXPECT_FALSE(std::isfinite(out.loss[2].item<float>()));
  EXPECT_TRUE(std::isfinite(out.loss[1].item<float>()));
}

TEST_P(LossOnIsa, LargeLogitsStayFinite) {
  Inputs in = make_inputs(6, 50, 8, at::kFloat, false);
  in.hidden.mul_(1000);
  expect_close(in, run(in), 5e-4);  // logits near 1000 are rounded by 6e-5, and so much may a probability be off
}

TEST(LinearCrossEntropy, LowPrecisionInputs) {
  const Inputs half = make_inputs(50, 333, 24, at::kHalf);
  expect_close(half, run(half, 16), 1e-3);
  EXPECT_EQ(run(half).grad_weight.scalar_type(), at::kFloat);
  const Inputs bf16 = make_inputs(50, 333, 24, at::kBFloat16);
  expect_close(bf16, run(bf16, 16), 2e-2);
  EXPECT_EQ(run(bf16).loss.scalar_type(), at::kFloat);
}

// Each bf16 logit is rounded once, by 2^-9 of itself: by so much may the label's be off, and the logarithm of the sum.
TEST(LinearCrossEntropy, Bf16LossIsTheFp32LossOfTheSameWeights) {
  const Inputs in = make_inputs(512, 4096, 64, at::kBFloat16, false);
  const Inputs wide = {in.hidden.to(at::kFloat), in.weight.to(at::kFloat), in.labels, in.token_weight};
  const at::Tensor error = run(in).loss - run(wide).loss;
  const at::Tensor bound = at::linear(wide.hidden, wide.weight).abs().amax(1) * 0x1p-8;
  EXPECT_TRUE((error.abs() <= bound + 1e-4).all().item<bool>()) << (error.abs() / bound).max().item<double>();
  EXPECT_LT(std::abs(error.mean().item<double>()), bound.mean().item<double>() / 20) << "roundings cancel out";
}

TEST(LinearCrossEntropy, GradientsAgreeWithCentralDifferences) {
  Inputs in = make_inputs(5, 7, 4, at::kDouble);
  const LossOutput out = run(in, 2);
  const auto total = [&] { return (run(in, 2, false, false).loss * in.token_weight).sum().item<double>(); };
  for (auto [values, gradient] : {std::pair{in.hidden, out.grad_hidden}, std::pair{in.weight, out.grad_weight}}) {
    auto* x = values.mutable_data_ptr<double>();
    for (int64_t i = 0; i < values.numel(); ++i) {
      const double kept = x[i], h = 1e-5;
      x[i] = kept + h;
      const double above = total();
      x[i] = kept - h;
      const double below = total();
      x[i] = kept;
      EXPECT_NEAR(gradient.const_data_ptr<double>()[i], (above - below) / (2 * h), 1e-8);
    }
  }
}

TEST(LinearCrossEntropy, ChunksAndThreadsChangeOnlyRounding) {
  const Inputs in = make_inputs(97, 129, 20, at::kFloat);
  const LossOutput whole = run(in, 97);
  const int threads = at::get_num_threads();
  for (int64_t rows : {1, 7, 64, 1000}) {
    at::set_num_threads(rows % 2 ? 3 : 1);
    const LossOutput out = run(in, rows);
    EXPECT_LT(difference(out.loss, whole.loss), 1e-6);
    EXPECT_LT(difference(out.grad_hidden, whole.grad_hidden), 1e-6);
    EXPECT_LT(difference(out.grad_weight, whole.grad_weight), 1e-6);
    EXPECT_TRUE(at::equal(out.correct, whole.correct));
  }
  at::set_num_threads(threads);
}

TEST(LinearCrossEntropy, OnlyWhatWasAskedFor) {
  const Inputs in = make_inputs(10, 20, 8, at::kFloat);
  const LossOutput none = run(in, 0, false, false), hidden = run(in, 0, true, false), weight = run(in, 0, false, true);
  EXPECT_FALSE(none.grad_hidden.defined() || none.grad_weight.defined());
  EXPECT_FALSE(hidden.grad_weight.defined() || weight.grad_hidden.defined());
  EXPECT_TRUE(at::equal(none.loss, hidden.loss));
  EXPECT_TRUE(at::equal(hidden.grad_hidden, run(in).grad_hidden));
  EXPECT_TRUE(at::equal(weight.grad_weight, run(in).grad_weight));
}

TEST(LinearCrossEntropy, NoRowCountsOrNoRowAtAll) {
  Inputs in = make_inputs(6, 20, 8, at::kFloat);
  in.token_weight.zero_();
  LossOutput out = run(in);
  EXPECT_EQ(out.loss.abs().sum().item<float>(), 0);
  EXPECT_EQ(out.grad_hidden.abs().sum().item<float>(), 0);
  EXPECT_EQ(out.grad_weight.abs().sum().item<float>(), 0);
  out = run(make_inputs(0, 20, 8, at::kFloat));
  EXPECT_EQ(out.loss.numel(), 0);
}

TEST(LinearCrossEntropy, EqualLogitsCountTheFirst) {
  Inputs in = make_inputs(40, 40, 8, at::kFloat, false);
  in.weight.zero_();
  for (int64_t i = 0; i < 40; ++i) in.labels[i] = i;
  const at::Tensor correct = run(in).correct;
  EXPECT_EQ(correct.sum().item<int64_t>(), 1);
  EXPECT_EQ(correct[0].item<int>(), 1);
}

TEST(LinearCrossEntropy, LabelOutsideTheVocabularyIsADataError) {
  Inputs in = make_inputs(6, 20, 8, at::kFloat);
  in.labels[4] = 20;
  try {
    run(in);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kData);
    EXPECT_NE(std::string(e.what()).find("label 20 of row 4"), std::string::npos) << e.what();
  }
}

TEST(LinearCrossEntropy, MemoryStaysBelowOneChunk) {
  install_allocator();
  const int64_t n = 1024, vocabulary = 4096, width = 32, rows = 64;
  const Inputs in = make_inputs(n, vocabulary, width, at::kFloat);
  const int64_t before = allocator_stats().live_bytes;
  reset_peak();
  const LossOutput out = run(in, rows);
  const int64_t outputs = allocator_stats().live_bytes - before;
  const int64_t chunk = 4 * rows * (vocabulary + 2 * width) + 8 * rows;
  EXPECT_LE(allocator_stats().peak_bytes - before, outputs + chunk + 4096);
  EXPECT_LT(allocator_stats().peak_bytes - before, 4 * n * vocabulary / 8);
}

}  // namespace
}  // namespace sz
