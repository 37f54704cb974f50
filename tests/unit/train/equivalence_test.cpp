// The same training, however it is dealt to ranks and micro-batches.
#include <gtest/gtest.h>

#include "unit/train/training.h"

namespace sz::test {
namespace {

RunResult run_with(int ranks, int64_t accumulation, RunSpec spec = {}) {
  spec.ranks = ranks;
  spec.options.accumulation = accumulation;
  spec.options.eval_every = 10;
  return train(spec);
}

void expect_equal_metrics(const RunResult& a, const RunResult& b) {
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (size_t i = 0; i < a.metrics.size(); ++i) {
    for (const char* key : {"step", "attempt", "epoch", "verdict", "lr", "tokens", "eval_tokens"}) {
      EXPECT_EQ(a.metrics[i].value(key, nlohmann::json()), b.metrics[i].value(key, nlohmann::json())) << key;
    }
    for (const char* key : {"loss", "grad_norm", "eval_loss", "eval_language_en_loss"}) {
      if (!a.metrics[i].contains(key)) continue;
      const double mine = a.metrics[i].at(key), theirs = b.metrics[i].at(key);
      EXPECT_NEAR(mine, theirs, 1e-5 * std::abs(mine)) << key << " of line " << i;
    }
  }
  // Before the first update all forward passes are the same products of the same numbers.
  EXPECT_EQ(a.metrics[0].at("loss"), b.metrics[0].at("loss"));
}

// 50 samples in plans of 8: the last plan of each epoch has 2, so that some ranks have none.
TEST(Equivalence, RanksAndAccumulationGiveTheSameParameters) {
  const RunResult one = run_with(1, 4), two = run_with(2, 2), four = run_with(4, 1);
  ASSERT_EQ(one.outcome.state.step, 20);
  EXPECT_LE(relative_difference(one.arrays, two.arrays), 1e-5);
  EXPECT_LE(relative_difference(one.arrays, four.arrays), 1e-5);
  expect_equal_metrics(one, two);
  expect_equal_metrics(one, four);
  expect_replicas_identical(two);
  expect_replicas_identical(four);
}

TEST(Equivalence, TheComparisonSeesADifference) {
  RunSpec other;
  other.options.seed = 12;
  EXPECT_GT(relative_difference(run_with(1, 4).arrays, run_with(1, 4, other).arrays), 1e-2);
}

TEST(Equivalence, DropoutIsOn) {
  RunSpec dry;
  dry.model.dropout = 0;
  EXPECT_GT(relative_difference(run_with(1, 4).arrays, run_with(1, 4, dry).arrays), 1e-4);
}

TEST(Equivalence, ARunIsRepeatable) {
  expect_identical(run_with(2, 2).arrays, run_with(2, 2).arrays);
}

TEST(Equivalence, TrainingLearns) {
  RunSpec spec;
  spec.source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 4, .validation = 2});
  spec.options.steps = 60;
  spec.schedule.lr = 5e-3;
  spec.model.dropout = 0;
  const RunResult result = train(spec);
  const auto losses = with(result.metrics, "loss");
  EXPECT_NEAR(losses.front().at("loss").get<double>(), std::log(97.0), 0.2);
  EXPECT_LT(losses.back().at("loss").get<double>(), 1.5);
}

TEST(Equivalence, LearningRatesDoNotDependOnRanks) {
  RunSpec spec;
  spec.schedule.decay_type = "cosine";
  spec.schedule.warmup_epochs = 1;
  spec.schedule.min_lr = 1e-5;
  const RunResult one = run_with(1, 4, spec), four = run_with(4, 1, spec);
  ASSERT_EQ(one.metrics.size(), four.metrics.size());
  for (size_t i = 0; i < one.metrics.size(); ++i) {
    EXPECT_EQ(one.metrics[i].value("lr", -1.0), four.metrics[i].value("lr", -1.0));
  }
  EXPECT_GT(one.metrics.front().at("lr").get<double>(), 0);
  EXPECT_LT(one.metrics.front().at("lr").get<double>(), 1e-3);
}

// Sums of steps that a plan gives: the last plan of an epoch is short, and steps all the same.
TEST(Equivalence, SevenMicroBatchesAndAccumulationFourAreTwoSteps) {
  RunSpec spec;
  spec.source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 7, .validation = 0});
  spec.options.steps = 0;
  spec.options.epochs = 1;
  spec.options.micro_batch = 1;
  spec.options.accumulation = 4;
  std::vector<int> micro_batches;
  spec.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kBatchReady}, [&](const HookInfo& info) { micro_batches.push_back(info.micro_batches); });
  };
  const RunResult result = train(spec);
  EXPECT_EQ(result.outcome.state.step, 2);
  EXPECT_EQ(micro_batches, (std::vector<int>{4, 3}));
}

TEST(Equivalence, AnEpochShorterThanTheAccumulationSteps) {
  RunSpec spec;
  spec.source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 3, .validation = 0});
  spec.options.steps = 0;
  spec.options.epochs = 2;
  spec.options.micro_batch = 1;
  spec.options.accumulation = 8;
  EXPECT_EQ(train(spec).outcome.state.step, 2);
}

// The loss is the mean over the step's tokens: a plan's tokens are counted, not its samples or micro-batches.
TEST(Equivalence, TheLossIsTheMeanOverTokensThatCount) {
  RunSpec spec;
  spec.options.steps = 1;
  spec.options.accumulation = 3;
  spec.ranks = 2;
  double summed = 0, tokens = 0, loss = 0;
  spec.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kVerdict}, [&](const HookInfo& info) {
      if (parts.rank() != 0) return;
      for (const SampleOutcome& sample : info.facts->samples) {
        summed += sample.loss;
        tokens += sample.tokens;
      }
      loss = info.facts->loss;
      EXPECT_EQ(info.facts->tokens, info.global_tokens);
      EXPECT_EQ(info.facts->samples.size(), info.plan->size());
    });
  };
  train(spec);
  EXPECT_GT(tokens, 0);
  EXPECT_DOUBLE_EQ(loss, summed / tokens);
}

}  // namespace
}  // namespace sz::test
