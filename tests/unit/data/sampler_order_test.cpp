#include "data/sampler_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sz {
namespace {

TEST(SamplerOrder, EveryEpochIsAPermutation) {
  for (const int64_t n : {0, 1, 2, 17, 1000}) {
    for (uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<int64_t> order = epoch_order(n, 7, epoch);
      std::sort(order.begin(), order.end());
      std::vector<int64_t> expected(static_cast<size_t>(n));
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(order, expected);
    }
  }
}

TEST(SamplerOrder, DependsOnSeedAndEpochAlone) {
  EXPECT_EQ(epoch_order(100, 1, 2), epoch_order(100, 1, 2));
  EXPECT_NE(epoch_order(100, 1, 2), epoch_order(100, 1, 3));
  EXPECT_NE(epoch_order(100, 1, 2), epoch_order(100, 2, 2));
}

TEST(SamplerOrder, PutsEverySampleEverywhere) {
  // 4,000 epochs of 4 samples: each should stand first about 1,000 times (5 sigma is 137).
  std::vector<int> first(4);
  for (uint64_t epoch = 0; epoch < 4000; ++epoch) {
    ++first[static_cast<size_t>(epoch_order(4, 5, epoch)[0])];
  }
  for (const int count : first) {
    EXPECT_NEAR(count, 1000, 137);
  }
}

TEST(SamplerOrder, PlacesCountOnThroughEpochsAndBack) {
  SampleOrder order(5, 3);
  const std::vector<int64_t> second = epoch_order(5, 3, 1);
  EXPECT_EQ(order.at(7), second[2]);
  EXPECT_EQ(order.at(4), epoch_order(5, 3, 0)[4]);
  EXPECT_EQ(order.at(5), second[0]);
}

}  // namespace
}  // namespace sz
