// What a hook table counts and times.
#include "train/hooks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace sz {
namespace {

class Sleeper final : public Observer {
 public:
  std::string name() const override { return "sleeper"; }
  void on(const HookInfo& info) override {
    ++seen;
    if (info.step > 0) std::this_thread::sleep_for(std::chrono::microseconds(info.step));
  }
  uint64_t seen = 0;
};

void fire(HookTable& table, int calls, int64_t microseconds) {
  HookInfo info;
  info.hook = Hook::kLoss;
  info.step = microseconds;
  for (int i = 0; i < calls; ++i) table.fire(info);
}

TEST(HookTable, CallsEachObserverOfAHookAndCounts) {
  HookTable table;
  const auto watcher = std::make_shared<Sleeper>(), other = std::make_shared<Sleeper>();
  table.observe(watcher, {Hook::kLoss});
  table.observe(other, {Hook::kStepEnd});
  fire(table, 5000, 0);
  EXPECT_EQ(watcher->seen, 5000u);
  EXPECT_EQ(table.entries()[0].calls, 5000u);
  EXPECT_GT(table.entries()[0].seconds, 0);
  EXPECT_EQ(other->seen, 0u);
}

// A sleep is never shorter than asked for, and the counter's rate is known to a few per cent.
TEST(HookTable, RareCallsAreTimedEach) {
  HookTable table;
  table.observe(std::make_shared<Sleeper>(), {Hook::kLoss});
  fire(table, 20, 1000);
  EXPECT_GE(table.entries()[0].seconds, 0.015);
}

TEST(HookTable, CallsThatBecomeDearAreNoticed) {
  HookTable table;
  table.observe(std::make_shared<Sleeper>(), {Hook::kLoss});
  fire(table, 3000, 0);
  const double cheap = table.entries()[0].seconds;
  fire(table, 100, 500);  // the first of them that is timed is one of the first 24, and those after it are timed too
  EXPECT_GE(table.entries()[0].seconds - cheap, 76 * 0.0004);
  EXPECT_EQ(table.entries()[0].calls, 3100u);
}

}  // namespace
}  // namespace sz
