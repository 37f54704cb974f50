#include "optim/schedule.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace sz {
namespace {

ScheduleParams params(const std::string& decay, int64_t total, int64_t warmup, int64_t tail) {
  ScheduleParams p;
  p.decay_type = decay;
  p.lr = 1.0;
  p.min_lr = 0.1;
  p.total_steps = total;
  p.warmup_steps = warmup;
  p.tail_steps = tail;
  return p;
}

TEST(Schedule, Cosine) {
  const auto s = make_schedule(params("cosine", 110, 10, 20));
  EXPECT_DOUBLE_EQ(s->lr(1), 0.1);
  EXPECT_DOUBLE_EQ(s->lr(5), 0.5);
  EXPECT_DOUBLE_EQ(s->lr(10), 1.0);
  EXPECT_NEAR(s->lr(30), 0.1 + 0.9 * (1 + 0.7071067811865476) / 2, 1e-12);  // q = 1/4
  EXPECT_NEAR(s->lr(50), 0.55, 1e-12);                                       // q = 1/2
  EXPECT_NEAR(s->lr(90), 0.1, 1e-12);                                        // q = 1
  EXPECT_DOUBLE_EQ(s->lr(91), 0.1);
  EXPECT_DOUBLE_EQ(s->lr(110), 0.1);
  EXPECT_DOUBLE_EQ(s->lr(1000), 0.1);
  EXPECT_EQ(s->note(), "");
}

TEST(Schedule, Linear) {
  const auto s = make_schedule(params("linear", 10, 0, 0));
  EXPECT_NEAR(s->lr(1), 0.91, 1e-12);
  EXPECT_NEAR(s->lr(5), 0.55, 1e-12);
  EXPECT_NEAR(s->lr(10), 0.1, 1e-12);
}

TEST(Schedule, ConstantWithTail) {
  const auto s = make_schedule(params("constant", 10, 2, 3));
  EXPECT_DOUBLE_EQ(s->lr(1), 0.5);
  EXPECT_DOUBLE_EQ(s->lr(2), 1.0);
  EXPECT_DOUBLE_EQ(s->lr(7), 1.0);
  EXPECT_DOUBLE_EQ(s->lr(8), 0.1);
  EXPECT_DOUBLE_EQ(s->lr(10), 0.1);
  EXPECT_DOUBLE_EQ(make_schedule(params("constant", 10, 0, 0))->lr(10), 1.0);
}

TEST(Schedule, WarmupByEpochs) {
  ScheduleParams p = params("constant", 100, 0, 0);
  p.warmup_epochs = 0.5;
  p.steps_per_epoch = 40;
  const auto s = make_schedule(p);
  EXPECT_DOUBLE_EQ(s->lr(10), 0.5);
  EXPECT_DOUBLE_EQ(s->lr(20), 1.0);
}

TEST(Schedule, WarmupLongerThanTheRunIsCutAndSaid) {
  const auto s = make_schedule(params("cosine", 10, 2000, 5));
  EXPECT_DOUBLE_EQ(s->lr(5), 0.5);
  EXPECT_DOUBLE_EQ(s->lr(10), 1.0);
  EXPECT_NE(s->note().find("warm-up of 2000 steps"), std::string::npos) << s->note();
  EXPECT_NE(s->note().find("tail of 5 steps"), std::string::npos) << s->note();
}

TEST(Schedule, EmptyRun) { EXPECT_DOUBLE_EQ(make_schedule(params("cosine", 0, 0, 0))->lr(1), 1.0); }

TEST(Schedule, WrongParametersAreUsageErrors) {
  try {
    make_schedule(params("cosinus", 10, 0, 0));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kUsage);
    EXPECT_NE(std::string(e.what()).find("cosine, linear, constant"), std::string::npos) << e.what();
  }
  EXPECT_THROW(make_schedule(params("linear", 10, -1, 0)), Error);
  EXPECT_THROW(make_schedule(params("linear", 10, 0, -1)), Error);
  ScheduleParams p = params("linear", 10, 0, 0);
  p.min_lr = 2;
  EXPECT_THROW(make_schedule(p), Error);
}

}  // namespace
}  // namespace sz
