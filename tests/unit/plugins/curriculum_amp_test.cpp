// curriculum_dual_loop beside the real amp_o2.so: a jump of the gradients' variance makes the lessons easier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/plugins/amp_o2_run.h"
#include "unit/plugins/curriculum_run.h"

namespace sz::test {
namespace {

using ::testing::HasSubstr;

const char* const kAmp =
    "[plugins.amp_o2]\nenabled = true\ndtype = \"bf16\"\ninitial_scale = 8192\nvariance_window = 6\n"
    "explosion_factor = 1000000\n";

TEST(CurriculumWithAmp, AJumpOfTheVarianceLowersTheThreshold) {
  const std::string jump = bad_gradient("kind = \"times\"\nfactor = 10000\nfirst = 25\nlast = 25");
  CurriculumRun school("adjustment_strategy = \"inner\"\nwarmup_epochs = 0\nstart_complexity = 0.7\n"
                       "inner_every = 1000\nfinal_release = 0.0\n" + jump + kAmp);
  school.spec.ranks = 2;
  school.spec.options.steps = 30;
  school.spec.options.micro_batch = 2;
  const RunResult result = school.run();
  const auto moves = school.of("difficulty_threshold");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_NEAR(moves[0].at("from").get<double>(), 0.70, 1e-9);
  EXPECT_NEAR(moves[0].at("to").get<double>(), 0.65, 1e-9);
  EXPECT_THAT(moves[0].at("text_en").get<std::string>(),
              HasSubstr("the difficulty threshold falls from 0.7 to 0.65: gradient_instability, raised by amp_o2: "
                        "gradient variance jumped (sigma "));
  EXPECT_THAT(moves[0].at("text_en").get<std::string>(), HasSubstr("scale 8192 -> 4096"));
  EXPECT_THAT(moves[0].at("text_zh").get<std::string>(),
              HasSubstr("难度阈值从 0.7 降低到 0.65：梯度不稳定事件（来自 amp_o2）：梯度方差突增（sigma "));
  EXPECT_THAT(moves[0].at("text_zh").get<std::string>(), HasSubstr("损失缩放 8192 -> 4096"));
  const auto thresholds = with(result.metrics, "curriculum_dual_loop.threshold");
  EXPECT_NEAR(thresholds.front().at("curriculum_dual_loop.threshold").get<double>(), 0.70, 1e-9);
  EXPECT_NEAR(thresholds.back().at("curriculum_dual_loop.threshold").get<double>(), 0.65, 1e-9);
  for (const PlanSeen& seen : school.plans) {
    if (seen.step <= moves[0].at("step").get<int64_t>()) continue;
    for (const PlanItem& item : seen.plan) EXPECT_LE(item.sample / 2 % 9, 5) << "the hardest third is left out";
  }
  expect_replicas_identical(result);
}

// Three bad attempts take the run back; the state of both plugins is whole, and the run ends.
TEST(CurriculumWithAmp, ARollBackOfItsTakesTheLessonsBack) {
  const std::string bad = bad_gradient("kind = \"inf\"\nfirst = 8\nlast = 10");
  CurriculumRun school("adjustment_strategy = \"inner\"\nwarmup_epochs = 0\nstart_complexity = 0.7\n"
                       "min_complexity = 0.1\ninner_every = 6\ninner_low = 0\ninner_high = 0.001\nfinal_release = 0.0\n" +
                       bad + kAmp);
  school.spec.options.steps = 8;
  school.spec.options.stable_every = 4;
  school.spec.options.stable_after = 1;
  const RunResult result = school.run();
  const auto moves = school.of("difficulty_threshold");
  ASSERT_EQ(moves.size(), 2u) << "step 6, and step 6 again behind the roll back to step 4";
  for (const auto& move : moves) {
    EXPECT_NEAR(move.at("from").get<double>(), 0.70, 1e-9);
    EXPECT_NEAR(move.at("to").get<double>(), 0.63, 1e-9);
  }
  EXPECT_EQ(with(result.metrics, "verdict").size(), 14u) << "7 steps, 3 bad attempts, and steps 5 to 8";
}

}  // namespace
}  // namespace sz::test
