// Pacing strategies, both loops and what they measure, each alone.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "curriculum_dual_loop/loss_book.h"
#include "curriculum_dual_loop/loss_spread.h"
#include "curriculum_dual_loop/pacing.h"
#include "curriculum_dual_loop/validation_history.h"

namespace curriculum {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

sz_pacing_signals signals_at(int64_t step, double threshold, double spread = kNan) {
  sz_pacing_signals s{};
  s.struct_size = sizeof s;
  s.step = step;
  s.threshold = threshold;
  s.batch_loss_std = s.window_loss_std = spread;
  return s;
}

TEST(Schedules, Formulas) {
  Settings s;
  s.start = 0.2;
  s.max = 1.0;
  EXPECT_DOUBLE_EQ(schedule_at("fixed_linear", s, 0), 0.2);
  EXPECT_DOUBLE_EQ(schedule_at("fixed_linear", s, 0.5), 0.6);
  EXPECT_DOUBLE_EQ(schedule_at("fixed_root", s, 0.25), 0.6);
  EXPECT_DOUBLE_EQ(schedule_at("competence", s, 0), 0.2);
  EXPECT_DOUBLE_EQ(schedule_at("competence", s, 0.5), std::sqrt(0.04 + 0.96 * 0.5));
  for (const char* name : {"fixed_linear", "fixed_root", "competence"}) EXPECT_DOUBLE_EQ(schedule_at(name, s, 1), 1.0);
  EXPECT_EQ(schedule_at("none", s, 0), 1);
  EXPECT_THROW(schedule_at("dual_loop", s, 0), std::runtime_error);
}

TEST(Schedules, MoveInStepsOfAHundredthAndReachTheEnd) {
  Settings s;
  Tuning tuning;
  const auto pacing = make_pacing("fixed_linear", s, tuning);
  double threshold = s.start;
  int moves = 0;
  for (int64_t step = 1; step <= 10000; ++step) {
    sz_pacing_signals now = signals_at(step, threshold);
    now.progress = double(step) / 10000;
    const auto move = pacing->pace(now);
    EXPECT_GE(move.threshold, threshold);
    if (move.threshold != threshold) {
      ++moves;
      EXPECT_FALSE(move.cause.empty());
    }
    threshold = move.threshold;
  }
  EXPECT_DOUBLE_EQ(threshold, s.max);
  EXPECT_LE(moves, 42);
  EXPECT_GE(moves, 38);
}

// Reported fault: a start below the step of the grid (minimum 8, step 16) must not become 0.
TEST(Schedules, AStartBelowTheStepStays) {
  Settings s;
  s.start = 0.004;
  Tuning tuning;
  for (const char* name : {"fixed_linear", "fixed_root", "competence"}) {
    sz_pacing_signals now = signals_at(0, schedule_at(name, s, 0));
    EXPECT_DOUBLE_EQ(make_pacing(name, s, tuning)->pace(now).threshold, 0.004) << name;
  }
}

TEST(InnerLoop, RaisesBelowTheLowAndLowersAboveTheHigh) {
  Settings s;
  Tuning tuning;
  const auto pacing = make_pacing("inner", s, tuning);
  EXPECT_DOUBLE_EQ(pacing->pace(signals_at(2000, 0.4, 0.05)).threshold, 0.42);
  EXPECT_DOUBLE_EQ(pacing->pace(signals_at(4000, 0.4, 0.5)).threshold, 0.36);
  EXPECT_EQ(pacing->pace(signals_at(2000, 0.4, 0.2)).threshold, 0.4);
  EXPECT_EQ(pacing->pace(signals_at(2000, 0.4, 0.1)).threshold, 0.4) << "the limits themselves are inside";
  EXPECT_EQ(pacing->pace(signals_at(2000, 0.4, 0.3)).threshold, 0.4);
  EXPECT_EQ(pacing->pace(signals_at(1999, 0.4, 0.5)).threshold, 0.4) << "between its looks";
  EXPECT_EQ(pacing->pace(signals_at(2000, 0.4)).threshold, 0.4) << "one sample has no spread";
  sz_pacing_signals warm = signals_at(2000, 0.4, 0.5);
  warm.warming_up = 1;
  EXPECT_EQ(pacing->pace(warm).threshold, 0.4);
  EXPECT_NE(pacing->pace(signals_at(2000, 0.4, 0.5)).cause.find("0.5"), std::string::npos);
}

TEST(InnerLoop, LooksAtTheBatchOrTheWindow) {
  Settings s;
  Tuning tuning;
  sz_pacing_signals now = signals_at(2000, 0.4);
  now.batch_loss_std = 0.5;
  now.window_loss_std = 0.05;
  EXPECT_DOUBLE_EQ(make_pacing("inner", s, tuning)->pace(now).threshold, 0.36);
  s.inner_window = true;
  EXPECT_DOUBLE_EQ(make_pacing("inner", s, tuning)->pace(now).threshold, 0.42);
}

sz_pacing_signals epoch_signals(double threshold, const std::vector<double>& slopes) {
  sz_pacing_signals s = signals_at(2000, threshold, 0.5);
  s.bucket_count = slopes.size();
  s.bucket_slope = s.bucket_loss = s.bucket_accuracy = slopes.data();
  return s;
}

TEST(OuterLoop, MovesInTheDirectionOfTheMeanSlope) {
  Settings s;
  Tuning tuning;
  const auto pacing = make_pacing("outer", s, tuning);
  EXPECT_DOUBLE_EQ(pacing->pace(epoch_signals(0.4, {0.03, -0.01})).threshold, 0.5);
  EXPECT_DOUBLE_EQ(pacing->pace(epoch_signals(0.4, {-0.03, 0.01})).threshold, 0.3);
  EXPECT_EQ(pacing->pace(epoch_signals(0.4, {kNan, kNan})).threshold, 0.4) << "too few epochs";
  EXPECT_DOUBLE_EQ(pacing->pace(epoch_signals(0.4, {kNan, 0.01})).threshold, 0.5);
  tuning.outer_factor = 0.05;
  EXPECT_DOUBLE_EQ(pacing->pace(epoch_signals(0.4, {0.01})).threshold, 0.45);
  EXPECT_EQ(make_pacing("inner", s, tuning)->pace(epoch_signals(0.4, {0.01})).threshold, 0.4);
}

TEST(LossSpread, DeviationAndItsError) {
  LossSpread spread;
  EXPECT_TRUE(std::isnan(spread.deviation()));
  for (const double x : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) spread.add(x);
  EXPECT_NEAR(spread.deviation(), std::sqrt(32.0 / 7), 1e-12);
  EXPECT_NEAR(spread.error(), spread.deviation() / std::sqrt(14.0), 1e-12);
}

TEST(ValidationHistory, SlopesAndSwing) {
  ValidationHistory history(2);
  for (int e = 0; e < 4; ++e) history.push({{kNan, 0}, {0.1 * e * e, kNan}, 0.5 + 0.1 * (e % 2)});
  EXPECT_NEAR(history.slopes(3)[0], (0.9 - 0.1) / 2, 1e-12);  // of 0.1 0.4 0.9
  EXPECT_TRUE(std::isnan(history.slopes(3)[1]));
  EXPECT_TRUE(std::isnan(history.slopes(5)[0])) << "fewer epochs than the window";
  EXPECT_NEAR(history.swing(3), 0.1 / (1.7 / 3), 1e-12);
  EXPECT_EQ(history.swing(2), 0) << "it only rises";
  EXPECT_TRUE(std::isnan(history.swing(5)));
}

TEST(LossBook, MasteredAndHardestWithinEachLanguage) {
  LossBook book({0, 0, 0, 0, 0, 1, 1, 1});
  const auto all = [](int64_t) { return true; };
  EXPECT_TRUE(book.mastered(0.2, all).empty()) << "nothing was seen";
  for (int i = 0; i < 5; ++i) book.record(i, 1 + i);
  for (int i = 5; i < 7; ++i) book.record(i, 20 + i);  // a language whose losses are all higher; sample 7 is not seen
  EXPECT_EQ(book.mastered(0.2, all), (std::vector<int32_t>{0, 5}));
  EXPECT_EQ(book.hardest(0.4, all), (std::vector<int32_t>{4, 3, 6}));
  EXPECT_EQ(book.hardest(0.2, [](int64_t s) { return s < 3; }), (std::vector<int32_t>{2}));
}

}  // namespace
}  // namespace curriculum
