// Sharded runs beside replicated ones on the same ranks.
#include "unit/plugins/sharded_run.h"

namespace sz::test {
namespace {

RunSpec spec_of(int ranks, int64_t accumulation) {
  RunSpec spec;
  spec.ranks = ranks;
  spec.options.accumulation = accumulation;
  spec.options.steps = 10;
  spec.options.grad_clip = 0.5;  // so that the norm has a say in the result
  spec.schedule.decay_type = "constant";
  return spec;
}

std::string stage(int number) { return "stage = " + std::to_string(number) + "\npersist_threshold = 0"; }

class Stages : public testing::TestWithParam<int> {};

TEST_P(Stages, TwoRanksAreBitIdenticalToReplicated) {
  const RunSpec spec = spec_of(2, 1);
  const RunResult replicated = train(spec), sharded = train_sharded(spec, stage(GetParam()));
  expect_identical(replicated.arrays, sharded.arrays);
  expect_replicas_identical(sharded);
  expect_identical(replicated.replicas[0], sharded.replicas[1]);
  const auto expected = with(replicated.metrics, "grad_norm"), found = with(sharded.metrics, "grad_norm");
  ASSERT_EQ(expected.size(), found.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i]["loss"], found[i]["loss"]);
    EXPECT_EQ(expected[i]["grad_norm"], found[i]["grad_norm"]);
  }
}

TEST_P(Stages, MoreRanksAndAccumulationAgreeWithReplicated) {
  for (const auto& [ranks, accumulation] : {std::pair{1, 1}, {1, 4}, {3, 1}, {4, 1}, {2, 4}, {3, 2}}) {
    const RunSpec spec = spec_of(ranks, accumulation);
    const RunResult sharded = train_sharded(spec, stage(GetParam()));
    EXPECT_LT(relative_difference(train(spec).arrays, sharded.arrays), 1e-6) << ranks << " x " << accumulation;
    expect_replicas_identical(sharded);
  }
}

INSTANTIATE_TEST_SUITE_P(Zero3, Stages, testing::Values(1, 2, 3));

TEST(Zero3, OverlapOnAndOffAreBitIdenticalFor50Steps) {
  RunSpec spec = spec_of(2, 2);
  spec.options.steps = 50;
  const RunResult on = train_sharded(spec, stage(3) + "\noverlap = true\nprefetch_segments = 3");
  const RunResult off = train_sharded(spec, stage(3) + "\noverlap = false");
  expect_identical(on.arrays, off.arrays);
}

}  // namespace
}  // namespace sz::test
