// Backward segment by segment against one whole graph and against central differences.
#include "train/segment_runner.h"

#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/train/passes.h"
#include "unit/train/training.h"

namespace sz::test {
namespace {

// Every segment by autograd: cutting the graph at boundaries changes no bit.
TEST(SegmentRunner, IsBitEqualToOneWholeGraphWhereAutogradRuns) {
  ModelDeclaration model = make_gpt2()->declare(tiny_options(), make_cross_entropy());
  for (SegmentDeclaration& segment : model.segments) segment.segment = std::make_shared<AutogradOnly>(segment.segment);
  model.segments.back().segment = std::make_shared<AutogradLoss>();
  Passes passes(at::kFloat, model);
  passes.run();
  // The tied table's two gradients come in another order: the sum of two is the same.
  expect_same_gradients(passes, passes.whole_graph_gradients());
}

TEST(SegmentRunner, IsCloseToOneWholeGraphWhereBackwardIsHandWritten) {
  for (const auto& [type, bound] : {std::pair(at::kFloat, 1e-5), std::pair(at::kDouble, 1e-12)}) {
    Passes passes(type);
    passes.run();
    const TensorList expected = passes.whole_graph_gradients();
    for (size_t p = 0; p < expected.size(); ++p) {
      EXPECT_LE(relative_error(passes.residency.gradients[p], expected[p]), bound)
          << passes.model.parameters[p].name << " in " << c10::toString(type);
    }
  }
}

// The derivative along single elements of every parameter, dropout on: its mask depends on no generator.
TEST(SegmentRunner, AgreesWithCentralDifferencesInDouble) {
  Passes passes(at::kDouble);
  passes.run();
  const TensorList gradients = passes.residency.gradients;
  const c10::AutoGradMode no_graph(false);
  constexpr double kStep = 1e-5;
  for (size_t p = 0; p < gradients.size(); ++p) {
    at::Tensor& parameter = passes.residency.parameters[p];
    double* const data = parameter.data_ptr<double>();
    const at::Tensor flat = gradients[p].contiguous().view({-1});
    for (int probe = 0; probe < 4; ++probe) {
      // The largest element, and some others.
      const int64_t i = probe == 0 ? flat.abs().argmax().item<int64_t>() : (probe * 7919) % flat.numel();
      const double before = data[i];
      data[i] = before + kStep;
      const double above = passes.whole_graph_loss(passes.residency.parameters).item<double>();
      data[i] = before - kStep;
      const double below = passes.whole_graph_loss(passes.residency.parameters).item<double>();
      data[i] = before;
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR(flat[i].item<double>(), expected, 1e-8 + 1e-6 * std::abs(expected))
          << passes.model.parameters[p].name << "[" << i << "]";
    }
  }
}

TEST(SegmentRunner, TokenLossesAreThoseOfTheWholeGraph) {
  Passes passes(at::kDouble);
  const PassOutput out = passes.run(false);
  double loss = 0;
  for (size_t i = 0; i < passes.weights.size(); ++i) {
    loss += double(passes.weights[i]) * out.token_loss.const_data_ptr<float>()[i];
  }
  EXPECT_NEAR(loss, passes.whole_graph_loss(passes.residency.parameters).item<double>(), 1e-6);
}

TEST(SegmentRunner, AcquiresAndReleasesEachSegmentTwice) {
  Passes passes;
  passes.run();
  EXPECT_EQ(passes.residency.acquired, 2 * int(passes.model.segments.size()));
  EXPECT_EQ(passes.residency.released, passes.residency.acquired);
}

// Evaluation has no dropout and leaves no graph.
TEST(SegmentRunner, EvaluationHasNoRandomness) {
  Passes wet(at::kFloat, tiny_options(0.5)), dry(at::kFloat, tiny_options(0));
  SegmentRunner wet_runner = wet.runner(), dry_runner = dry.runner();
  const PassOutput a = wet_runner.forward({}, wet.batch, wet.batch.mask, Mode::kEvaluate);
  const PassOutput b = dry_runner.forward({}, dry.batch, dry.batch.mask, Mode::kEvaluate);
  EXPECT_TRUE(a.token_loss.equal(b.token_loss));
  EXPECT_FALSE(a.token_loss.equal(wet.run(false).token_loss));
}

TEST(SegmentRunner, FrozenParametersGetNoGradient) {
  ModelDeclaration model = make_gpt2()->declare(tiny_options(), make_cross_entropy());
  for (const char* name : {"block.0.attention.qkv.weight", "block.1.mlp.down.bias", "embedding.position"}) {
    model.parameters[size_t(model.find_parameter(name))].trainable = false;
  }
  Passes frozen(at::kFloat, model), whole;
  frozen.run();
  whole.run();
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    const at::Tensor& gradient = frozen.residency.gradients[p];
    ASSERT_EQ(gradient.defined(), model.parameters[p].trainable) << model.parameters[p].name;
    if (!gradient.defined()) continue;
    EXPECT_TRUE(gradient.equal(whole.residency.gradients[p])) << model.parameters[p].name;
  }
}

// Columns of padding beyond the longest sample change nothing that counts.
TEST(SegmentRunner, PaddingNeverChangesRealTokens) {
  Passes narrow, wide;
  MicroBatch& batch = wide.batch;
  MicroBatch few = narrow.batch;  // only the shorter rows, in a rectangle of their own and in the wide one
  ASSERT_EQ(batch.cols, 24);
  const auto cut = [](const MicroBatch& from, int64_t rows, int64_t cols) {
    MicroBatch to = from;
    to.rows = rows;
    to.cols = cols;
    to.ids.clear(), to.labels.clear(), to.mask.clear();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t t = 0; t < cols; ++t) {
        const size_t i = size_t(r * from.cols + t);
        to.ids.push_back(from.ids[i]), to.labels.push_back(from.labels[i]), to.mask.push_back(from.mask[i]);
      }
    }
    to.position.resize(size_t(rows)), to.sample.resize(size_t(rows)), to.plan_index.resize(size_t(rows));
    return to;
  };
  narrow.batch = cut(few, 1, 1);  // sample 4 has one token
  narrow.weights.assign(1, 1.0f);
  wide.batch = cut(few, 1, 24);
  wide.weights.assign(24, 0.0f);
  wide.weights[0] = 1.0f;
  const PassOutput a = narrow.run(), b = wide.run();
  EXPECT_NEAR(a.token_loss[0][0].item<float>(), b.token_loss[0][0].item<float>(), 1e-5);
  for (size_t p = 0; p < narrow.residency.gradients.size(); ++p) {
    EXPECT_LE(relative_error(narrow.residency.gradients[p], wide.residency.gradients[p]), 1e-5)
        << narrow.model.parameters[p].name;
  }
  // The ids of the padding are not seen at all.
  for (int64_t t = 1; t < 24; ++t) wide.batch.ids[size_t(t)] = 50;
  wide.residency.gradients.clear();
  const PassOutput c = wide.run();
  EXPECT_EQ(b.token_loss[0][0].item<float>(), c.token_loss[0][0].item<float>());
}

}  // namespace
}  // namespace sz::test
