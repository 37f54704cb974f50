#include "ops/zero_count.h"

#include <gtest/gtest.h>

#include <vector>

namespace sz {
namespace {

TEST(ZeroCount, CountsBothZerosOfAnyLength) {
  for (const int64_t n : {0, 1, 15, 16, 17, 32768, 32769, 100001}) {
    std::vector<uint16_t> values(static_cast<size_t>(n), 1);  // the smallest subnormal is no zero
    int64_t zeros = 0;
    for (int64_t i = 0; i < n; i += 3, ++zeros) values[size_t(i)] = i % 2 ? 0x8000 : 0;
    EXPECT_EQ(count_zeros(values.data(), n), zeros) << n;
  }
  const std::vector<uint16_t> all(70000, 0x8000);
  EXPECT_EQ(count_zeros(all.data(), 70000), 70000);
}

TEST(ZeroCount, CountsThoseOfWidenedElements) {
  for (const int64_t n : {0, 1, 7, 8, 9, 1001}) {
    std::vector<float> values(static_cast<size_t>(n), 0x1p-24f);  // fp16's smallest subnormal
    int64_t zeros = 0;
    for (int64_t i = 0; i < n; i += 3, ++zeros) values[size_t(i)] = i % 2 ? -0.0f : 0.0f;
    EXPECT_EQ(count_zeros(values.data(), n), zeros) << n;
  }
}

}  // namespace
}  // namespace sz
