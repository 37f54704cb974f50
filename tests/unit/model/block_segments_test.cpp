// Hand-written backward passes against central differences in double, against autograd, and across save levels.
#include "model/block_segments.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <memory>

namespace sz {
namespace {

constexpr int64_t kRows = 3, kCols = 5, kWidth = 8, kHeads = 2;
constexpr uint64_t kPositions[kRows] = {4, 9, 2};

enum class Kind { kAttention, kMlp };

std::unique_ptr<Segment> make(Kind kind, double dropout) {
  if (kind == Kind::kAttention) return std::make_unique<AttentionSegment>(kHeads, dropout);
  return std::make_unique<MlpSegment>(dropout);
}

SegmentContext context_of(int save_level = 0) {
  SegmentContext context;
  context.index = 3;
  context.seed = 17;
  context.positions = kPositions;
  context.save_level = save_level;
  return context;
}

struct Case {
  std::unique_ptr<Segment> segment;
  TensorList parameters, inputs;
  at::Tensor grad_output;
};

Case make_case(Kind kind, at::ScalarType type, double dropout = 0.25) {
  at::manual_seed(5);
  const int64_t inner = kind == Kind::kAttention ? 3 * kWidth : 4 * kWidth;
  const int64_t mixed = kind == Kind::kAttention ? kWidth : 4 * kWidth;
  const auto draw = [type](at::IntArrayRef shape, double around) {
    return (at::randn(shape, at::kDouble) * 0.4 + around).to(type).requires_grad_();
  };
  Case made;
  made.segment = make(kind, dropout);
  made.parameters = {draw({kWidth}, 1), draw({kWidth}, 0), draw({inner, kWidth}, 0),
                     draw({inner}, 0),  draw({kWidth, mixed}, 0), draw({kWidth}, 0)};
  made.inputs = {draw({kRows, kCols, kWidth}, 0)};
  made.grad_output = at::randn({kRows, kCols, kWidth}, at::kDouble).to(type);
  return made;
}

struct Outcome {
  at::Tensor output;
  TensorList saved;
  SegmentGradients gradients;
};

Outcome by_hand(const Case& c, int save_level = 0) {
  Outcome outcome;
  const at::NoGradGuard no_graph;
  outcome.output = c.segment->forward(context_of(save_level), c.parameters, c.inputs, &outcome.saved)[0];
  const bool autocast = at::autocast::is_autocast_enabled(at::kCPU);
  at::autocast::set_autocast_enabled(at::kCPU, false);  // as the loop does
  outcome.gradients = c.segment->backward(context_of(save_level), c.parameters, c.inputs, outcome.saved,
                                          {c.grad_output.to(outcome.output.scalar_type())});
  at::autocast::set_autocast_enabled(at::kCPU, autocast);
  return outcome;
}

TensorList all_of(const SegmentGradients& gradients) {
  TensorList all = gradients.inputs;
  all.insert(all.end(), gradients.parameters.begin(), gradients.parameters.end());
  return all;
}

TensorList by_autograd(const Case& c) {
  TensorList wanted = c.inputs;
  wanted.insert(wanted.end(), c.parameters.begin(), c.parameters.end());
  const at::Tensor output = c.segment->forward(context_of(), c.parameters, c.inputs, nullptr)[0];
  return torch::autograd::grad({output}, wanted, {c.grad_output.to(output.scalar_type())});
}

double relative(const at::Tensor& a, const at::Tensor& b) {
  const double norm = b.to(at::kDouble).norm().item<double>();
  return (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>() / std::max(norm, 1e-12);
}

class BlockSegments : public testing::TestWithParam<Kind> {};

// d/dt <grad_output, f(..., t + h e)> by central differences, element by element.
TEST_P(BlockSegments, GradientsAreThoseOfCentralDifferences) {
  const Case c = make_case(GetParam(), at::kDouble);
  const TensorList gradients = all_of(by_hand(c).gradients);
  TensorList places = c.inputs;
  places.insert(places.end(), c.parameters.begin(), c.parameters.end());
  const at::NoGradGuard no_graph;
  const auto value = [&] {
    return (c.segment->forward(context_of(), c.parameters, c.inputs, nullptr)[0] * c.grad_output).sum().item<double>();
  };
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < places.size(); ++i) {
    double* const element = places[i].data_ptr<double>();
    ASSERT_EQ(gradients[i].sizes(), places[i].sizes());
    const at::Tensor gradient = gradients[i].contiguous();
    const double scale = gradient.abs().max().item<double>();
    for (int64_t e = 0; e < places[i].numel(); ++e) {
      const double before = element[e];
      element[e] = before + kStep;
      const double above = value();
      element[e] = before - kStep;
      const double below = value();
      element[e] = before;
      ASSERT_NEAR(gradient.const_data_ptr<double>()[e], (above - below) / (2 * kStep), 1e-7 * (1 + scale))
          << "list " << i << " element " << e;
    }
  }
}

TEST_P(BlockSegments, GradientsAreThoseOfAutograd) {
  for (const auto& [type, tolerance] : {std::pair(at::kDouble, 1e-13), std::pair(at::kFloat, 1e-5),
                                        std::pair(at::kHalf, 2e-2)}) {
    const Case c = make_case(GetParam(), type);
    const TensorList mine = all_of(by_hand(c).gradients), theirs = by_autograd(c);
    for (size_t i = 0; i < mine.size(); ++i) {
      EXPECT_EQ(mine[i].scalar_type(), theirs[i].scalar_type());
      EXPECT_LE(relative(mine[i], theirs[i]), tolerance) << name_of(Mode::kTrain) << " " << type << " list " << i;
    }
  }
}

TEST_P(BlockSegments, UnderAutocastToo) {
  const Case c = make_case(GetParam(), at::kFloat);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_cache_enabled(false);
  const Outcome mine = by_hand(c);
  const TensorList theirs = by_autograd(c);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(mine.output.scalar_type(), at::kFloat);
  EXPECT_EQ(mine.saved[0].scalar_type(), at::kBFloat16);
  const TensorList gradients = all_of(mine.gradients);
  for (size_t i = 0; i < theirs.size(); ++i) EXPECT_LE(relative(gradients[i], theirs[i]), 2e-2) << i;
}

int64_t bytes_of(const TensorList& tensors) {
  int64_t bytes = 0;
  for (const at::Tensor& t : tensors) bytes += t.numel() * int64_t(t.element_size());
  return bytes;
}

TEST_P(BlockSegments, SaveLevelOneKeepsLessAndGivesTheSameBits) {
  for (const bool autocast : {false, true}) {
    for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
      const Case c = make_case(GetParam(), type);
      at::autocast::set_autocast_enabled(at::kCPU, autocast);
      at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
      const Outcome all = by_hand(c, 0), less = by_hand(c, 1);
      at::autocast::set_autocast_enabled(at::kCPU, false);
      EXPECT_LT(bytes_of(less.saved), bytes_of(all.saved));
      EXPECT_TRUE(at::equal(all.output, less.output));
      const TensorList a = all_of(all.gradients), b = all_of(less.gradients);
      for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i], b[i])) << type << " list " << i;
    }
  }
}

// What recompute stands on: a pass that keeps nothing and one that keeps all are the same bits.
TEST_P(BlockSegments, APassThatSavesGivesTheBitsOfOneThatDoesNot) {
  for (const at::ScalarType autocast : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
      const Case c = make_case(GetParam(), type);
      const at::NoGradGuard no_graph;
      at::autocast::set_autocast_enabled(at::kCPU, autocast != at::kFloat);
      at::autocast::set_autocast_dtype(at::kCPU, autocast == at::kFloat ? at::kBFloat16 : autocast);
      TensorList saved;
      const at::Tensor keeps = c.segment->forward(context_of(), c.parameters, c.inputs, &saved)[0];
      const at::Tensor forgets = c.segment->forward(context_of(), c.parameters, c.inputs, nullptr)[0];
      at::autocast::set_autocast_enabled(at::kCPU, false);
      EXPECT_TRUE(at::equal(keeps, forgets)) << "autocast " << autocast << ", " << type;
    }
  }
}

TEST_P(BlockSegments, FrozenParametersTakeNoGradientAndCostNoOtherAny) {
  Case c = make_case(GetParam(), at::kFloat);
  const Outcome free = by_hand(c);
  for (at::Tensor& parameter : c.parameters) parameter.requires_grad_(false);
  const Outcome frozen = by_hand(c);
  EXPECT_TRUE(at::equal(frozen.gradients.inputs[0], free.gradients.inputs[0]));
  for (const at::Tensor& gradient : frozen.gradients.parameters) EXPECT_FALSE(gradient.defined());
}

TEST_P(BlockSegments, BackwardLeavesItsArgumentsAlone) {
  const Case c = make_case(GetParam(), at::kFloat, 0.0);
  const at::Tensor grad_before = c.grad_output.clone(), x_before = c.inputs[0].detach().clone();
  by_hand(c);
  EXPECT_TRUE(at::equal(c.grad_output, grad_before));
  EXPECT_TRUE(at::equal(c.inputs[0], x_before));
}

INSTANTIATE_TEST_SUITE_P(Both, BlockSegments, testing::Values(Kind::kAttention, Kind::kMlp),
                         [](const auto& info) { return info.param == Kind::kAttention ? "Attention" : "Mlp"; });

}  // namespace
}  // namespace sz
