#include "train/reporter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sz {
namespace {

TEST(Reporter, TheProgressLineShowsALossThatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(progress_text(2.3456, 1234), "loss 2.346  1234 tokens/s");
  EXPECT_EQ(progress_text(nan, 10), "loss nan  10 tokens/s");
  EXPECT_EQ(progress_text(std::copysign(nan, -1.0), 10), "loss nan  10 tokens/s");
  EXPECT_EQ(progress_text(infinite, 10), "loss inf  10 tokens/s");
}

}  // namespace
}  // namespace sz
