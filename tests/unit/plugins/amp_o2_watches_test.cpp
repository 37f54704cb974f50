// The loss scale's watches, its state and its options.
#include "unit/plugins/amp_o2_driver.h"

#include <cmath>

namespace sz::amp {
namespace {

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

TEST(LossScale, IsolatedSpikesAreNoJump) {  // a healthy quickstart has one or two of ten times the median
  ScaleOptions options;
  options.clip_from_start = true;
  Driver run(options);
  for (int i = 0; i < 400; ++i) EXPECT_FALSE(run.good(i % 50 == 7 || i % 50 == 40 ? 5.0 : wavy(i, 0.1)).sigma) << i;
  bool struck = false;
  for (int i = 0; i < 50; ++i) struck |= run.good(i % 10 == 7 ? 5.0 : wavy(i, 0.1)).sigma.has_value();
  EXPECT_TRUE(struck) << "five of fifty are no longer isolated";
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
  const std::vector<std::string> wrong = {"", "scale nan\n", good.substr(20), "scale 0\n" + good.substr(11)};
  for (const std::string& text : wrong) {
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
