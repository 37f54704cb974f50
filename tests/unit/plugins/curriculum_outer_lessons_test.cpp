// The lessons' outer loop, its guard, and the event that lowers the threshold, as a run would drive them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "curriculum_dual_loop/ranks.h"
#include "unit/plugins/curriculum_school.h"

namespace curriculum {
namespace {

TEST(Lessons, TheOuterLoopFollowsTheSlope) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.strategy = "outer"; s.start = 0.4; });
  for (const double accuracy : {0.50, 0.51, 0.52}) school.end_epoch(accuracy);
  EXPECT_NEAR(school.threshold(), 0.5, 1e-12);
  for (const double accuracy : {0.50, 0.48}) school.end_epoch(accuracy);  // 0.51 0.52 0.50, then 0.52 0.50 0.48
  EXPECT_NEAR(school.threshold(), 0.3, 1e-12);
}

TEST(Lessons, ASwingHalvesTheFactorAndWidensTheWindow) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.strategy = "outer"; s.start = 0.4; });
  for (const double accuracy : {0.50, 0.40, 0.50}) school.end_epoch(accuracy);  // 0.1 / 0.467 = 21%
  ASSERT_EQ(school.of("outer_factor").size(), 1u);
  EXPECT_EQ(school.of("outer_factor")[0].from, 0.1);
  EXPECT_EQ(school.of("outer_factor")[0].to, 0.05);
  EXPECT_EQ(school.tuning.outer_factor, 0.05);
  EXPECT_EQ(school.tuning.window, 5);
  for (const double accuracy : {0.50, 0.50}) school.end_epoch(accuracy);  // 5 epochs: 0.1 / 0.48 swings still
  EXPECT_EQ(school.tuning.outer_factor, 0.025);
}

TEST(Lessons, ASteadyRiseIsNoSwing) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.strategy = "outer"; });
  for (const double accuracy : {0.10, 0.20, 0.30, 0.30}) school.end_epoch(accuracy);
  EXPECT_EQ(school.tuning.outer_factor, 0.1);
  EXPECT_NEAR(school.threshold(), 0.5, 1e-12);
  school.end_epoch(0.20);
  EXPECT_EQ(school.tuning.outer_factor, 0.05) << "a fall is";
}

TEST(Lessons, FourteenPercentIsNoSwing) {
  School school([](Settings& s) { s.warmup_epochs = 0; });
  for (const double accuracy : {0.50, 0.57, 0.50}) school.end_epoch(accuracy);
  EXPECT_EQ(school.tuning.outer_factor, 0.1);
}

TEST(Lessons, StalledBucketsGetTheirHardestSamplesHalfOfThemPerturbed) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.strategy = "outer"; s.start = s.max = 0.5; });
  school.loss = [](int64_t sample) { return double(sample % 10); };
  school.run(20);
  // Buckets 0 to 4 are trained on; 1 stalls, 7 does too but isn't trained on.
  std::vector<double> rising(10, 0);
  for (int e = 0; e < 3; ++e) {
    for (int b = 0; b < 10; ++b) rising[size_t(b)] = b == 1 || b == 7 ? 0.3 : 0.3 + 0.01 * e;
    school.end_epoch(0.5, rising);
  }
  ASSERT_EQ(school.of("adversarial").size(), 1u);
  EXPECT_NE(school.of("adversarial")[0].cause.find("buckets 1"), std::string::npos);
  EXPECT_EQ(school.of("adversarial")[0].cause.find("7"), std::string::npos);
  int hard = 0, perturbed = 0;
  for (int i = 0; i < 10; ++i) {
    for (const Item& item : school.run_step()) {
      if (item.kind == Kind::kPool) continue;
      EXPECT_EQ(bucket_of(school.lessons->pool().difficulty(item.sample), 10), 1);
      EXPECT_GE(item.sample % 10, 8) << "the hardest of the bucket, of each language";
      (item.kind == Kind::kHard ? hard : perturbed) += 1;
    }
  }
  EXPECT_EQ(hard, 4);
  EXPECT_EQ(perturbed, 4);  // 10% of 80, in halves
  for (int e = 3; e < 6; ++e) school.end_epoch(0.5, std::vector<double>(10, 0.3 + 0.01 * e));
  EXPECT_TRUE(school.lessons->mixture().adversarial.empty());
  EXPECT_EQ(school.of("adversarial").back().to, 0.0);
}

TEST(Lessons, AnInstabilityTakesFiveHundredths) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.start = 0.7; });
  school.lessons->instability("amp_o2");
  school.collect();
  EXPECT_NEAR(school.threshold(), 0.65, 1e-12);
  EXPECT_EQ(school.changes, 1);
  EXPECT_NE(school.notes.back().cause.find("amp_o2"), std::string::npos);
}

TEST(Lessons, AnInstabilityStaysInARampAndASchedule) {
  School ramp([](Settings&) {}), schedule([](Settings& s) { s.strategy = "fixed_linear"; });
  for (School* school : {&ramp, &schedule}) {
    School calm([&](Settings& s) { s = school->settings; });
    school->run(20);
    calm.run(20);
    school->lessons->instability("amp_o2");
    school->run(9);
    calm.run(9);
    EXPECT_NEAR(calm.threshold() - school->threshold(), 0.05, 0.011);
  }
}

}  // namespace
}  // namespace curriculum
