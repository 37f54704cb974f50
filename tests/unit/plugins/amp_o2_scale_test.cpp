// The loss scale's state machine, without a host: every rule and every reported fault.
#include "unit/plugins/amp_o2_driver.h"

#include <cmath>

namespace sz::amp {
namespace {

TEST(LossScale, ThreeBadInARowSkipSkipThenHalveRollBackAndClip) {
  Driver run({});
  run.warm_up();
  for (int i = 1; i <= 2; ++i) {
    const Ruling ruling = run.bad();
    EXPECT_EQ(ruling.action, Action::kSkip);
    EXPECT_EQ(ruling.fault, Fault::kNonFinite);
    EXPECT_EQ(ruling.bad_in_a_row, i);
    EXPECT_EQ(ruling.change, Change::kNone);
    EXPECT_EQ(run.scale.scale(), 4096);
    EXPECT_FALSE(run.scale.clip_limit());
  }
  const Ruling ruling = run.bad();
  EXPECT_EQ(ruling.action, Action::kRollBack);
  EXPECT_EQ(ruling.change, Change::kBackoff);
  EXPECT_EQ(ruling.scale_from, 4096);
  EXPECT_EQ(ruling.scale_to, 2048);
  EXPECT_TRUE(ruling.clip_switched_on);
  EXPECT_FALSE(ruling.keep_data_position);
  EXPECT_EQ(run.scale.scale(), 2048);
  EXPECT_EQ(run.scale.clip_limit(), 1.0);
}

TEST(LossScale, AGoodStepResetsTheCount) {  // reported: bad, bad, good, bad, bad rolled back
  Driver run({});
  run.warm_up();
  EXPECT_EQ(run.bad().action, Action::kSkip);
  EXPECT_EQ(run.bad().action, Action::kSkip);
  EXPECT_EQ(run.good().action, Action::kApply);
  EXPECT_EQ(run.bad().action, Action::kSkip);
  EXPECT_EQ(run.bad().action, Action::kSkip);
  EXPECT_EQ(run.scale.scale(), 4096);
  EXPECT_FALSE(run.scale.clipping());
}

TEST(LossScale, GrowsAfterAnIntervalOfGoodStepsInARow) {
  ScaleOptions options;
  options.growth_interval = 5;
  Driver run(options);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run.good().change, Change::kNone);
  run.bad();  // starts the count anew
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run.good().change, Change::kNone);
  const Ruling ruling = run.good();
  EXPECT_EQ(ruling.change, Change::kGrowth);
  EXPECT_EQ(ruling.scale_from, 4096);
  EXPECT_EQ(ruling.scale_to, 8192);
}

TEST(LossScale, NeverGrowsBeyondItsMaximum) {  // reported: without bound on tiny losses
  ScaleOptions options;
  options.growth_interval = 1;
  Driver run(options);
  for (int i = 0; i < 150; ++i) {
    const Ruling ruling = run.attempt(1e-12, 0, 1e-12);
    EXPECT_EQ(ruling.change == Change::kGrowth, ruling.scale_to > ruling.scale_from);
    EXPECT_LE(run.scale.scale(), options.max_scale);
  }
  EXPECT_EQ(run.scale.scale(), options.max_scale);
}

TEST(LossScale, GrowthStopsAtAMaximumThatIsNoMultiple) {
  ScaleOptions options;
  options.growth_interval = 1;
  options.max_scale = 5000;
  Driver run(options);
  EXPECT_EQ(run.good().scale_to, 5000);
  EXPECT_EQ(run.good().change, Change::kNone);
}

TEST(LossScale, PermanentNanEndsTheRunBeforeTheScaleIsGone) {  // reported: driven towards 0
  Driver run({});
  Ruling ruling;
  int attempts = 0;
  do {
    ruling = run.attempt(kNan, 1, kNan);
    EXPECT_GE(run.scale.scale(), 1);
  } while (ruling.action != Action::kAbort && ++attempts < 1000);
  EXPECT_EQ(ruling.action, Action::kAbort);
  EXPECT_EQ(ruling.end, End::kMaxRollbacks);
  EXPECT_EQ(attempts, 3 * 5 + 2);
  EXPECT_EQ(run.scale.scale(), 128);  // five halvings
}

TEST(LossScale, EndsAtTheMinimum) {
  ScaleOptions options;
  options.initial_scale = 4;
  options.min_scale = 1;
  Driver run(options);
  std::vector<double> seen;
  Ruling ruling;
  for (int i = 0; i < 9; ++i) {
    ruling = run.bad();
    if (i % 3 == 2) seen.push_back(run.scale.scale());
  }
  EXPECT_EQ(seen, (std::vector<double>{2, 1, 1}));
  EXPECT_EQ(ruling.action, Action::kAbort);
  EXPECT_EQ(ruling.end, End::kMinScale);
}

TEST(LossScale, TheScaleIsAlwaysANormalNumber) {
  for (const double factor : {0.5, 0.001, 0.9999}) {
    ScaleOptions options;
    options.backoff_factor = factor;
    options.growth_factor = 1000;
    options.growth_interval = 1;
    options.min_scale = 0x1p-100;
    options.max_scale = 0x1p100;
    options.max_rollbacks = 1000;
    Driver run(options);
    for (int i = 0; i < 3000; ++i) {
      const bool bad = (i / 700) % 2 == 1;
      if ((bad ? run.bad() : run.good()).action == Action::kAbort) break;
      ASSERT_TRUE(std::isnormal(float(run.scale.scale())) && run.scale.scale() > 0) << i;
    }
  }
}

TEST(LossScale, NonFiniteInAnyFormIsBad) {
  const double norms[] = {kNan, kInf, 1.0, 1.0, 1.0};
  const int64_t counts[] = {0, 0, 1, 0, 0};
  const double losses[] = {2, 2, 2, kNan, kInf};
  for (int i = 0; i < 5; ++i) {
    Driver run({});
    run.warm_up();
    EXPECT_EQ(run.attempt(norms[i], counts[i], losses[i]).fault, Fault::kNonFinite) << i;
    EXPECT_EQ(run.step, 20);
  }
}

// A scale that is too large by itself: going back to the stable state, growing there again and failing at the same step
// would end the run.
TEST(LossScale, DoesNotGrowAgainBeforeThePlaceWhereItFailed) {
  ScaleOptions options;
  options.growth_interval = 20;
  Driver run(options);
  int roll_backs = 0;
  for (int i = 0; i < 2000 && run.step < 500; ++i) {
    run.stable = std::max(run.stable, run.step / 100 * 100);
    const int64_t before = run.step;
    const Ruling ruling = run.scale.scale() > 16384 ? run.bad() : run.good();
    ASSERT_NE(ruling.action, Action::kAbort) << "at step " << before;
    roll_backs += ruling.action == Action::kRollBack;
  }
  EXPECT_EQ(run.step, 500);
  EXPECT_GT(roll_backs, 5);
}

TEST(LossScale, GettingFurtherForgivesEarlierRollBacks) {
  ScaleOptions options;
  options.max_rollbacks = 2;
  options.growth_interval = 1000000;
  options.min_scale = 0x1p-40;
  Driver run(options);
  run.stable = 5;
  run.warm_up(10);
  for (int round = 0; round < 8; ++round) {  // each time one step further
    EXPECT_EQ(run.bad().action, Action::kSkip);
    EXPECT_EQ(run.bad().action, Action::kSkip);
    EXPECT_EQ(run.bad().action, Action::kRollBack) << round;
    const int64_t again = 10 + round - run.step + 1;
    for (int64_t i = 0; i < again; ++i) run.good();
  }
  for (int i = 0; i < 2; ++i) {  // stuck at one place
    run.bad(), run.bad();
    EXPECT_EQ(run.bad().action, Action::kRollBack);
    while (run.step < 18) run.good();
  }
  run.bad(), run.bad();
  EXPECT_EQ(run.bad().action, Action::kAbort);
}

TEST(LossScale, ExplosionsAreSkippedWhileClippingIsOff) {
  Driver run({});
  run.warm_up();
  const Ruling ruling = run.attempt(10.5);
  EXPECT_EQ(ruling.action, Action::kSkip);
  EXPECT_EQ(ruling.fault, Fault::kExplosion);
  EXPECT_NEAR(ruling.median, 1.01, 1e-9);
  EXPECT_EQ(run.good(9.9).action, Action::kApply);
}

TEST(LossScale, ThreeExplosionsInARowRollBackAndClip) {
  Driver run({});
  run.warm_up();
  EXPECT_EQ(run.attempt(50).action, Action::kSkip);
  EXPECT_EQ(run.attempt(50).action, Action::kSkip);
  const Ruling ruling = run.attempt(50);
  EXPECT_EQ(ruling.action, Action::kRollBack);
  EXPECT_TRUE(ruling.clip_switched_on);
  EXPECT_EQ(run.scale.scale(), 2048);
  run.warm_up();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run.attempt(50).action, Action::kApply) << "clipped, applied, good";
}

TEST(LossScale, TheThirdScatteredExplosionSwitchesClippingOnAndIsApplied) {
  Driver run({});
  run.warm_up();
  EXPECT_EQ(run.attempt(50).action, Action::kSkip);
  run.good();
  EXPECT_EQ(run.attempt(50).action, Action::kSkip);
  run.good();
  const Ruling ruling = run.attempt(50);
  EXPECT_EQ(ruling.action, Action::kApply);
  EXPECT_TRUE(ruling.clip_switched_on);
  EXPECT_EQ(run.scale.clip_limit(), 1.0);
  EXPECT_EQ(run.scale.scale(), 4096);
}

TEST(LossScale, WhereTheRunClipsByItselfNothingIsAnExplosion) {
  ScaleOptions options;
  options.clip_from_start = true;
  Driver run(options);
  run.warm_up();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run.attempt(1000).action, Action::kApply);
  EXPECT_FALSE(run.scale.clip_limit()) << "train.grad_clip gives the limit";
}

TEST(LossScale, AnExplosionAtTheMinimumStillRollsBackOnce) {
  ScaleOptions options;
  options.initial_scale = options.min_scale = 1;
  Driver run(options);
  run.warm_up();
  run.attempt(50), run.attempt(50);
  const Ruling ruling = run.attempt(50);
  EXPECT_EQ(ruling.action, Action::kRollBack);
  EXPECT_EQ(ruling.change, Change::kNone);
  EXPECT_TRUE(ruling.clip_switched_on);
  EXPECT_FALSE(ruling.keep_data_position);
}

TEST(LossScale, AStaticScaleOnlyRollsBackAndPassesOverWhatFailsAlike) {
  ScaleOptions options;
  options.dynamic = false;
  options.initial_scale = 128;
  options.growth_interval = 1;
  Driver run(options);
  run.warm_up();
  EXPECT_EQ(run.scale.scale(), 128);
  run.bad(), run.bad();
  Ruling ruling = run.bad();
  EXPECT_EQ(ruling.action, Action::kRollBack);
  EXPECT_EQ(ruling.change, Change::kNone);
  EXPECT_FALSE(ruling.keep_data_position) << "clipping went on: not alike";
  run.bad(), run.bad();
  ruling = run.bad();
  EXPECT_EQ(ruling.action, Action::kRollBack);
  EXPECT_TRUE(ruling.keep_data_position);
  EXPECT_EQ(run.scale.scale(), 128);
}

TEST(LossScale, AStaticScaleMayLieOutsideTheDynamicRange) {
  ScaleOptions options;
  options.dynamic = false;
  options.initial_scale = 0.25;
  EXPECT_EQ(LossScale(options).scale(), 0.25);
}

}  // namespace
}  // namespace sz::amp
