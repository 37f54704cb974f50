#include "base/ticks.h"

#include <gtest/gtest.h>

#include <thread>

namespace sz {
namespace {

TEST(Ticks, GoOnWithTheClock) {
  const uint64_t first = ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t second = ticks();
  EXPECT_GT(second, first);
  EXPECT_GE(seconds_of_ticks(second - first), 0.004);  // a sleep is never shorter; the rate is known to a few per cent
  EXPECT_EQ(seconds_of_ticks(0), 0);
}

}  // namespace
}  // namespace sz
