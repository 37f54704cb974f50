#include "base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace sz {
namespace {

// An fp16's value from its definition.
double value_of_half(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) ? -magnitude : magnitude;
}

bool is_finite(uint16_t half) { return (half & 0x7c00) != 0x7c00; }

TEST(Half, WidensEveryValueExactly) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = float_of_half(half);
    EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0);
    if (is_finite(half)) {
      EXPECT_EQ(value, value_of_half(half));
    } else if (bits & 0x03ff) {
      EXPECT_TRUE(std::isnan(value));
    } else {
      EXPECT_TRUE(std::isinf(value));
    }
  }
}

TEST(Half, EveryValueComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const bool is_nan = !is_finite(half) && (bits & 0x03ff) != 0;
    EXPECT_EQ(half_of_float(float_of_half(half)), is_nan ? (half | 0x0200) : half);
  }
}

// Around the middle between each two neighbours: below goes down, above up, the middle to the even one.
TEST(Half, RoundsToNearestTiesToEven) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double low = value_of_half(static_cast<uint16_t>(bits));
    const double high = bits == 0x7bff ? 65536.0 : value_of_half(static_cast<uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);  // exact in fp32
    const uint32_t even = (bits & 1) ? bits + 1 : bits;
    EXPECT_EQ(half_of_float(middle), even);
    EXPECT_EQ(half_of_float(std::nextafter(middle, 0.0f)), bits);
    EXPECT_EQ(half_of_float(std::nextafter(middle, INFINITY)), bits + 1);
    EXPECT_EQ(half_of_float(-middle), even | 0x8000);
  }
}

TEST(Half, ExtremesOfFp32) {
  EXPECT_EQ(half_of_float(std::numeric_limits<float>::max()), 0x7c00);
  EXPECT_EQ(half_of_float(-INFINITY), 0xfc00);
  EXPECT_EQ(half_of_float(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(half_of_float(-0.0f), 0x8000);
  EXPECT_EQ(half_of_float(0x1p-25f), 0);  // the middle between zero and the smallest
  EXPECT_TRUE(std::isnan(float_of_half(half_of_float(NAN))));
}

// Whatever instructions arrays are converted with, the bits are those of the scalar code.
using Widen = void (*)(const uint16_t*, float*, size_t);
using Narrow = void (*)(const float*, uint16_t*, size_t);

void expect_same_as_scalars(Widen widen, float (*widen_one)(uint16_t), Narrow narrow, uint16_t (*narrow_one)(float)) {
  std::vector<uint16_t> shorts(65536 + 3);
  for (size_t i = 0; i < shorts.size(); ++i) shorts[i] = static_cast<uint16_t>(i);
  std::vector<float> floats(shorts.size());
  widen(shorts.data(), floats.data(), shorts.size());
  for (size_t i = 0; i < shorts.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(floats[i]), std::bit_cast<uint32_t>(widen_one(shorts[i])));
  }
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 4099) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  std::vector<uint16_t> narrowed(values.size());
  narrow(values.data(), narrowed.data(), values.size());
  size_t different = 0;
  for (size_t i = 0; i < values.size(); ++i) different += narrowed[i] != narrow_one(values[i]);
  EXPECT_EQ(different, 0u);
}

TEST(Half, ArraysAgreeWithScalars) {
  expect_same_as_scalars(floats_of_halves, float_of_half, halves_of_floats, half_of_float);
}

TEST(Bfloat16, ArraysAgreeWithScalars) {
  expect_same_as_scalars(floats_of_bfloat16s, float_of_bfloat16, bfloat16s_of_floats, bfloat16_of_float);
}

TEST(Bfloat16, EveryValueComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = float_of_bfloat16(static_cast<uint16_t>(bits));
    EXPECT_EQ(bfloat16_of_float(value), std::isnan(value) ? 0x7fc0 : bits);
  }
}

TEST(Bfloat16, RoundsToNearestTiesToEven) {
  for (uint32_t bits = 0; bits < 0x7f80; ++bits) {
    const uint32_t low = bits << 16;
    const uint32_t even = (bits & 1) ? bits + 1 : bits;
    EXPECT_EQ(bfloat16_of_float(std::bit_cast<float>(low | 0x8000u)), even);
    EXPECT_EQ(bfloat16_of_float(std::bit_cast<float>(low | 0x7fffu)), bits);
    EXPECT_EQ(bfloat16_of_float(std::bit_cast<float>(low | 0x8001u)), bits + 1);
    EXPECT_EQ(bfloat16_of_float(std::bit_cast<float>(low | 0x80008000u)), even | 0x8000);
  }
}

}  // namespace
}  // namespace sz
