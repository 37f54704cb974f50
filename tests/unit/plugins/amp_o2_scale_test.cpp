// The loss scale's state machine, without a host: every rule and every reported fault.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sz/loss_scale.hpp>

namespace sz::amp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Feeds attempts as the loop would: a step counts where it was applied, and a roll back returns to `stable`.
struct Driver {
  explicit Driver(const ScaleOptions& options) : scale(options) {}

  Ruling attempt(double norm, int64_t non_finite = 0, double loss = 2.0) {
    ScaleFacts facts;
    facts.step = step;
    facts.grad_norm = norm;
    facts.non_finite = non_finite;
    facts.loss = loss;
    const Ruling ruling = scale.judge(facts);
    if (ruling.action == Action::kApply) ++step;
    if (ruling.action == Action::kRollBack) step = stable;
    return ruling;
  }
  Ruling good(double norm = 1.0) { return attempt(norm); }
  Ruling bad() { return attempt(kNan, 7); }
  void warm_up(int steps = 20) {
    for (int i = 0; i < steps; ++i) ASSERT_EQ(good(1.0 + 0.01 * (i % 3)).action, Action::kApply);
  }

  LossScale scale;
  int64_t step = 0, stable = 0;
};

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

// --- variance watch ------------------------------------------------------------------------------------------------

// Norms with a coefficient of variation of `sigma`.
double wavy(int i, double sigma) { return 1.0 + (i % 2 ? sigma : -sigma); }

TEST(LossScale, AJumpOfTheVarianceHalvesTheScaleOnceAWindow) {
  ScaleOptions options;
  options.initial_scale = 8192;
  Driver run(options);
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(run.good(wavy(i, 0.1)).sigma);
  std::vector<int> struck;
  for (int i = 0; i < 120; ++i) {
    const Ruling ruling = run.good(wavy(i, 0.6));
    EXPECT_EQ(ruling.action, Action::kApply);
    if (!ruling.sigma) continue;
    struck.push_back(i);
    EXPECT_GT(*ruling.sigma, 0.4);
    EXPECT_EQ(ruling.change, Change::kVariance);
    EXPECT_EQ(ruling.scale_to, ruling.scale_from / 2);
  }
  EXPECT_EQ(struck, (std::vector<int>{49})) << "afterwards the window before is as wavy";
  EXPECT_EQ(run.scale.scale(), 4096);
}

TEST(LossScale, AVarianceThatWasAlwaysHighIsNoJump) {
  Driver run({});
  for (int i = 0; i < 500; ++i) EXPECT_FALSE(run.good(wavy(i, 0.7)).sigma);
}

TEST(LossScale, TheVarianceWatchStopsAtItsFloorAndNeverEndsTheRun) {
  ScaleOptions options;
  options.initial_scale = 300;
  Driver run(options);
  int strikes = 0;
  double sigma = 0.001;  // each window more than twice as wavy as the one before, again and again
  for (int window = 0; window < 40; ++window, sigma = sigma > 0.4 ? 0.001 : 0.9) {
    for (int i = 0; i < 50; ++i) {
      const Ruling ruling = run.good(wavy(i, sigma));
      EXPECT_EQ(ruling.action, Action::kApply);
      strikes += ruling.sigma.has_value();
      EXPECT_GE(run.scale.scale(), 256);
    }
  }
  EXPECT_GT(strikes, 5);
  EXPECT_EQ(run.scale.scale(), 256);
}

TEST(LossScale, BelowTheFloorTheVarianceWatchOnlyReports) {
  ScaleOptions options;
  options.initial_scale = 64;
  Driver run(options);
  int strikes = 0;
  for (int i = 0; i < 100; ++i) {
    const Ruling ruling = run.good(wavy(i, i < 50 ? 0.1 : 0.8));
    strikes += ruling.sigma.has_value();
    EXPECT_EQ(ruling.change, Change::kNone);
  }
  EXPECT_EQ(strikes, 1);
  EXPECT_EQ(run.scale.scale(), 64);
}

TEST(LossScale, ARollBackStartsTheHistoryAnew) {
  Driver run({});
  for (int i = 0; i < 99; ++i) run.good(wavy(i, i < 50 ? 0.1 : 0.8));
  run.bad(), run.bad(), run.bad();
  for (int i = 0; i < 99; ++i) EXPECT_FALSE(run.good(wavy(i, 0.8)).sigma);
}

// --- vanishing -----------------------------------------------------------------------------------------------------

TEST(LossScale, ALossOfExactlyZeroIsReportedOnce) {
  Driver run({});
  run.warm_up();
  EXPECT_EQ(run.attempt(0, 0, 0.0).vanishing, Vanishing::kZeroLoss);
  EXPECT_EQ(run.attempt(0, 0, 0.0).vanishing, Vanishing::kNone);
  EXPECT_EQ(run.good().vanishing, Vanishing::kNone);
  EXPECT_EQ(run.attempt(0, 0, 0.0).vanishing, Vanishing::kZeroLoss);
}

TEST(LossScale, GradientsFlushedToZeroAreReported) {
  LossScale scale{ScaleOptions{}};
  ScaleFacts facts;
  facts.grad_norm = 1e-6;
  facts.loss = 2;
  facts.low_entries = 1000;
  facts.low_zeros = 500;
  EXPECT_EQ(scale.judge(facts).vanishing, Vanishing::kNone);
  facts.low_zeros = 501;
  EXPECT_EQ(scale.judge(facts).vanishing, Vanishing::kFlushed);
}

// --- state ---------------------------------------------------------------------------------------------------------

TEST(LossScale, GoesOnFromItsStateAsIfItHadNeverStopped) {
  ScaleOptions options;
  options.growth_interval = 7;
  Driver whole(options);
  const auto feed = [](Driver& run, int from, int to) {
    std::vector<std::string> rulings;
    for (int i = from; i < to; ++i) {
      const Ruling r = i % 11 == 3 || (i >= 40 && i < 44) ? run.bad() : run.good(1 + 0.3 * std::sin(i));
      rulings.push_back(std::to_string(int(r.action)) + " " + std::to_string(r.scale_to) + " " +
                        std::to_string(r.sigma.value_or(0)));
    }
    return rulings;
  };
  feed(whole, 0, 42);  // in the middle of a bad row
  Driver resumed(options);
  resumed.scale.load(whole.scale.save());
  resumed.step = whole.step;
  EXPECT_EQ(resumed.scale.save(), whole.scale.save());
  EXPECT_EQ(feed(resumed, 42, 300), feed(whole, 42, 300));
  EXPECT_EQ(resumed.scale.save(), whole.scale.save());
}

TEST(LossScale, ClippingStaysOnOverAResume) {
  Driver run({});
  run.bad(), run.bad(), run.bad();
  LossScale resumed{ScaleOptions{}};
  resumed.load(run.scale.save());
  EXPECT_TRUE(resumed.clipping());
  EXPECT_EQ(resumed.scale(), 2048);
}

TEST(LossScale, ForeignStateIsRefused) {
  const std::string good = LossScale{ScaleOptions{}}.save();
  for (const std::string& text : {std::string(), std::string("scale nan\n"), good.substr(20), "scale 0\n" + good.substr(11)}) {
    LossScale scale{ScaleOptions{}};
    EXPECT_THROW(scale.load(text), std::invalid_argument) << text;
  }
}

TEST(LossScale, WrongOptionsAreNamed) {
  const auto message = [](auto change) -> std::string {
    ScaleOptions options;
    change(options);
    try {
      LossScale scale(options);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message([](ScaleOptions& o) { o.initial_scale = 0; }).find("scale"), std::string::npos);
  EXPECT_NE(message([](ScaleOptions& o) { o.initial_scale = kInf; }).find("scale"), std::string::npos);
  EXPECT_NE(message([](ScaleOptions& o) { o.min_scale = 1e-310; }).find("min_scale"), std::string::npos);
  EXPECT_NE(message([](ScaleOptions& o) { o.backoff_factor = 1; }).find("backoff_factor"), std::string::npos);
  EXPECT_NE(message([](ScaleOptions& o) { o.hysteresis = 0; }).find("hysteresis"), std::string::npos);
  EXPECT_NE(message([](ScaleOptions& o) { o.initial_scale = 1e9; }).find("initial_scale"), std::string::npos);
  EXPECT_EQ(message([](ScaleOptions&) {}), "");
}

}  // namespace
}  // namespace sz::amp
