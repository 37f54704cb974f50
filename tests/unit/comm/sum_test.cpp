#include "comm/sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/half.h"

namespace sz {
namespace {

TEST(Sum, AddsInTheOrderOfTheSources) {
  const float big = 1e8f;
  const float one = 1.0f;
  const float minus = -1e8f;
  float out = 0;
  sum_in_order({&big, &minus, &one}, &out, 1, DType::kF32);
  EXPECT_EQ(out, 1.0f);
  sum_in_order({&big, &one, &minus}, &out, 1, DType::kF32);
  EXPECT_EQ(out, 0.0f);  // the one is lost beside 1e8
}

TEST(Sum, HalvesAddInFp32AndRoundOnce) {
  const uint16_t big = half_of_float(2048);
  const uint16_t one = half_of_float(1);  // 2048 + 1 is not an fp16
  uint16_t out = 0;
  sum_in_order({&big, &one, &one}, &out, 1, DType::kF16);
  EXPECT_EQ(float_of_half(out), 2050.0f);
  const uint16_t big_b = bfloat16_of_float(256);
  const uint16_t one_b = bfloat16_of_float(1);
  sum_in_order({&big_b, &one_b, &one_b}, &out, 1, DType::kBF16);
  EXPECT_EQ(float_of_bfloat16(out), 258.0f);
}

TEST(Sum, HalvesPassTheirRangeOnTheWay) {
  const uint16_t big = half_of_float(60000);
  const uint16_t minus = half_of_float(-60000);
  uint16_t out = 0;
  sum_in_order({&big, &big, &minus}, &out, 1, DType::kF16);
  EXPECT_EQ(float_of_half(out), float_of_half(big));
  sum_in_order({&big, &big}, &out, 1, DType::kF16);
  EXPECT_EQ(out, 0x7c00);  // infinity: an overflow stays visible
}

TEST(Sum, IntegersWrap) {
  const int64_t max = std::numeric_limits<int64_t>::max();
  const int64_t one = 1;
  int64_t out = 0;
  sum_in_order({&max, &one}, &out, 1, DType::kI64);
  EXPECT_EQ(out, std::numeric_limits<int64_t>::min());
}

TEST(Sum, OutMayBeASource) {
  std::vector<double> a(1000);
  std::vector<double> b(1000);
  for (int i = 0; i < 1000; ++i) {
    a[i] = i;
    b[i] = 1000 * i;
  }
  sum_in_order({a.data(), b.data()}, b.data(), 1000, DType::kF64);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(b[i], 1001.0 * i);
}

TEST(Sum, OneSourceIsCopiedBitForBit) {
  const uint16_t minus_zero = 0x8000;
  uint16_t out = 1;
  sum_in_order({&minus_zero}, &out, 1, DType::kF16);
  EXPECT_EQ(out, minus_zero);
}

}  // namespace
}  // namespace sz
