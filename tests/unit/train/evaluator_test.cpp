// Evaluation: means over tokens, not over samples, micro-batches or ranks; in groups.
#include "train/evaluator.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "unit/train/training.h"

namespace sz::test {
namespace {

// Every token's loss is its label; a token is correct where the label is even.
struct LabelLoss final : Loss {
  LossResult compute(const at::Tensor& hidden, const TensorList& head, const at::Tensor& labels,
                     const at::Tensor& weight, bool want_gradients) const override {
    LossResult result;
    result.loss = labels.to(at::kFloat) * (weight != 0);
    result.correct = (labels.remainder(2) == 0).to(at::kByte);
    result.scalar = (result.loss * weight).sum();
    if (want_gradients) {
      result.grad_hidden = at::zeros_like(hidden);
      result.grad_head = {at::zeros_like(head[0])};
    }
    return result;
  }
};

void set_labels(MemorySource::Sample& sample, int64_t tokens, int64_t label, int32_t language) {
  sample.tokens.ids.assign(size_t(tokens), 1);
  sample.tokens.labels.assign(size_t(tokens), label);
  sample.tokens.mask.assign(size_t(tokens), 1.0f);
  sample.language = language;
}

RunSpec spec_with(std::shared_ptr<MemorySource> source, int ranks) {
  RunSpec spec;
  spec.ranks = ranks;
  spec.source = source;
  spec.options.steps = 1;
  spec.options.eval_every = 1;
  spec.model.context = 96;
  spec.prepare = [spec](RankParts& parts) {
    parts.model = make_gpt2()->declare(spec.model, std::make_shared<LabelLoss>());
  };
  return spec;
}

// 2 tokens of mean 1 and 90 of mean 9: (2 x 1 + 90 x 9) / 92, not 5.
TEST(Evaluator, WeighsByTokens) {
  const auto source = std::make_shared<MemorySource>(MemorySourceOptions{.validation = 2});
  set_labels(source->samples(Split::kValidation)[0], 2, 1, 0);
  set_labels(source->samples(Split::kValidation)[1], 90, 9, 0);
  for (const int ranks : {1, 2, 3}) {
    for (const int64_t micro_batch : {1, 2}) {
      RunSpec spec = spec_with(source, ranks);
      spec.options.micro_batch = micro_batch;
      const RunResult result = train(spec);
      EXPECT_NEAR(result.outcome.eval.loss, 8.826, 5e-4);
      EXPECT_DOUBLE_EQ(result.outcome.eval.loss, 812.0 / 92);
      EXPECT_EQ(result.outcome.eval.tokens, 92);
      EXPECT_EQ(with(result.metrics, "eval_loss").at(0).at("eval_loss"), 812.0 / 92);
    }
  }
}

TEST(Evaluator, GroupsAndMasks) {
  const auto source = std::make_shared<MemorySource>(MemorySourceOptions{.validation = 3});
  set_labels(source->samples(Split::kValidation)[0], 4, 2, 0);
  set_labels(source->samples(Split::kValidation)[1], 6, 3, 1);
  set_labels(source->samples(Split::kValidation)[2], 10, 5, 1);
  auto& mask = source->samples(Split::kValidation)[2].tokens.mask;
  std::fill(mask.begin(), mask.begin() + 8, 0.0f);
  const RunResult result = train(spec_with(source, 2));
  const auto line = with(result.metrics, "eval_loss").at(0);
  EXPECT_EQ(line.at("eval_language_en_loss"), 2.0);
  EXPECT_EQ(line.at("eval_language_en_accuracy"), 1.0);
  EXPECT_EQ(line.at("eval_language_en_tokens"), 4);
  EXPECT_EQ(line.at("eval_language_zh_loss"), (6 * 3 + 2 * 5) / 8.0);
  EXPECT_EQ(line.at("eval_language_zh_accuracy"), 0.0);
  EXPECT_EQ(line.at("eval_language_zh_tokens"), 8);
  EXPECT_FALSE(line.contains("eval_language_other_loss"));  // nothing of it
  EXPECT_EQ(line.at("eval_accuracy"), 4.0 / 12);
}

TEST(Evaluator, AGroupingMayComeAtEvalBegin) {
  const auto source = std::make_shared<MemorySource>(MemorySourceOptions{.validation = 4});
  for (int64_t i = 0; i < 4; ++i) set_labels(source->samples(Split::kValidation)[size_t(i)], 2, i, 0);
  RunSpec spec = spec_with(source, 2);
  const auto prepare = spec.prepare;
  spec.prepare = [&](RankParts& parts) {
    prepare(parts);
    watch(parts, {Hook::kEvalBegin}, [&parts](const HookInfo&) {
      EvalGrouping grouping;
      grouping.name = "difficulty";
      grouping.groups = {"easy", "hard"};
      grouping.group_of = [](int64_t sample) { return sample == 0 ? -1 : sample < 3 ? 0 : 1; };
      parts.services.groupings = {grouping};
    });
  };
  const auto line = with(train(spec).metrics, "eval_loss").at(0);
  EXPECT_EQ(line.at("eval_difficulty_easy_loss"), 1.5);
  EXPECT_EQ(line.at("eval_difficulty_hard_loss"), 3.0);
  EXPECT_FALSE(line.contains("eval_language_en_loss"));
}

// A split's documents stand language by language: the first ones alone would all be of one.
TEST(Evaluator, TakesSamplesEvenlyOverTheSplitWhereFewerAreAsked) {
  const auto source = std::make_shared<MemorySource>(MemorySourceOptions{.validation = 6});
  for (int64_t i = 0; i < 6; ++i) set_labels(source->samples(Split::kValidation)[size_t(i)], 1, 10 * i, i < 3 ? 0 : 1);
  RunSpec spec = spec_with(source, 1);
  spec.options.eval_samples = 4;
  const RunResult result = train(spec);
  EXPECT_EQ(result.outcome.eval.loss, (0.0 + 10.0 + 30.0 + 40.0) / 4);
  EXPECT_EQ(result.outcome.eval.tokens, 4);
  const auto line = with(result.metrics, "eval_loss").at(0);
  EXPECT_EQ(line.at("eval_language_en_loss"), 5.0);
  EXPECT_EQ(line.at("eval_language_zh_loss"), 35.0);
  spec.options.eval_samples = 60;
  EXPECT_EQ(train(spec).outcome.eval.loss, 25.0) << "all there are";
}

TEST(Evaluator, NoValidationSplitNoEvaluation) {
  RunSpec spec = spec_with(std::make_shared<MemorySource>(MemorySourceOptions{.validation = 0}), 1);
  const RunResult result = train(spec);
  EXPECT_EQ(result.outcome.eval.tokens, 0);
  EXPECT_TRUE(with(result.metrics, "eval_loss").empty());
}

}  // namespace
}  // namespace sz::test
