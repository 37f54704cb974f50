// The loss segment's hand-written backward, and what it leaves out.
#include "model/loss_segment.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace sz::test {
namespace {

at::Tensor normal(at::IntArrayRef shape, uint64_t key) {
  at::Tensor t = at::zeros(shape, at::kDouble);
  double* const data = t.data_ptr<double>();
  for (int64_t i = 0; i < t.numel(); ++i) {
    const Philox4 p = philox(key, uint64_t(i), 0);
    data[i] = to_normal(p[0], p[1])[0];
  }
  return t;
}

struct Example {
  LossSegment segment{make_cross_entropy()};
  at::Tensor hidden = normal({2, 3, 5}, 1), table = normal({11, 5}, 2);
  at::Tensor labels = at::tensor({1, 10, 0, 3, 3, 7}, at::kLong).view({2, 3});
  at::Tensor weight = at::tensor({0.5f, 0.25f, 0.0f, 1.0f, 0.0f, 0.125f}, at::kFloat).view({2, 3});

  TensorList forward(TensorList* saved) { return segment.forward({}, {table}, {hidden, labels, weight}, saved); }
  double scalar() { return forward(nullptr)[0].item<double>(); }
};

TEST(LossSegment, BackwardAgreesWithCentralDifferencesInDouble) {
  Example example;
  TensorList saved;
  const TensorList out = example.forward(&saved);
  // The scalar's gradient is a factor of all.
  const SegmentGradients gradients =
      example.segment.backward({}, {example.table}, {example.hidden, example.labels, example.weight}, saved,
                               {at::full({}, 3.0, out[0].options())});
  EXPECT_FALSE(gradients.inputs[1].defined() || gradients.inputs[2].defined());
  constexpr double kStep = 1e-6;
  for (const auto& [variable, gradient] : {std::pair(example.hidden, gradients.inputs[0]),
                                           std::pair(example.table, gradients.parameters[0])}) {
    double* const data = variable.data_ptr<double>();
    const at::Tensor flat = gradient.contiguous().view({-1});
    for (int64_t i = 0; i < variable.numel(); ++i) {
      const double before = data[i];
      data[i] = before + kStep;
      const double above = example.scalar();
      data[i] = before - kStep;
      const double below = example.scalar();
      data[i] = before;
      EXPECT_NEAR(flat[i].item<double>(), 3 * (above - below) / (2 * kStep), 1e-8) << i;
    }
  }
}

TEST(LossSegment, WeightZeroLeavesATokenOut) {
  Example example;
  TensorList saved;
  const TensorList out = example.forward(&saved);
  EXPECT_EQ(out[1][0][2].item<double>(), 0);
  EXPECT_EQ(out[1][1][1].item<double>(), 0);
  EXPECT_GT(out[1][0][0].item<double>(), 0);
  const double expected = (out[1].to(at::kDouble) * example.weight).sum().item<double>();
  EXPECT_NEAR(out[0].item<double>(), expected, 1e-12);
  EXPECT_EQ(saved[0][0][2].abs().max().item<double>(), 0);
}

// Without a wish for gradients none are formed.
TEST(LossSegment, EvaluationFormsNoGradients) {
  Example example;
  EXPECT_EQ(example.forward(nullptr).size(), 3u);
  const LossResult result =
      make_cross_entropy()->compute(example.hidden, {example.table}, example.labels, example.weight, false);
  EXPECT_FALSE(result.grad_hidden.defined());
  EXPECT_TRUE(result.grad_head.empty());
}

}  // namespace
}  // namespace sz::test
