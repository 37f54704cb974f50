#include "base/rng.h"

#include <gtest/gtest.h>

#include <vector>

namespace sz {
namespace {

// Known answers of Random123's kat_vectors for philox4x32-10 (counter words, key words -> result).
TEST(Rng, PhiloxVectors) {
  EXPECT_EQ(philox(0, 0, 0), (Philox4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint64_t ones = ~uint64_t{0};
  EXPECT_EQ(philox(ones, ones, ones), (Philox4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, StreamsGoOnFromTheirPosition) {
  RandomStream a(7);
  for (int i = 0; i < 5; ++i) a();
  RandomStream b(7, a.next());
  EXPECT_EQ(a(), b());
}

TEST(Rng, BelowIsEven) {
  RandomStream stream(1);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[stream.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);  // five standard deviations
}

TEST(Rng, NormalMoments) {
  double sum = 0, squares = 0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const Philox4 p = philox(3, i, 0);
    for (const double x : to_normal(p[0], p[1])) {
      sum += x;
      squares += x * x;
    }
  }
  EXPECT_NEAR(sum / (2 * n), 0, 0.025);
  EXPECT_NEAR(squares / (2 * n), 1, 0.04);
}

}  // namespace
}  // namespace sz
