#include "ops/simd/half_bits.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace sz {
namespace {

TEST(HalfBits, EveryFp16WidensAndComesBack) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const float x = widen_fp16(uint16_t(h));
    const float reference = c10::Half(uint16_t(h), c10::Half::from_bits());
    if (std::isnan(reference)) {
      EXPECT_TRUE(std::isnan(x));
    } else {
      EXPECT_EQ(bits_of(x), bits_of(reference));
      EXPECT_EQ(narrow_fp16(x), h);
    }
  }
}

TEST(HalfBits, RoundsLikeLibTorch) {
  for (uint64_t i = 0; i < 300000; ++i) {
    const uint32_t u = philox(7, i, 0)[0];
    const float x = i % 2 ? float_of(u) : float_of((u & 0x87FFFFFFu) + 0x33000000u);  // all; or fp16's range
    if (std::isnan(x)) continue;
    EXPECT_EQ(narrow_fp16(x), c10::Half(x).x) << x;
    EXPECT_EQ(narrow_bf16(x), c10::BFloat16(x).x) << x;
  }
  EXPECT_TRUE(std::isnan(widen_fp16(narrow_fp16(NAN))));
  EXPECT_TRUE(std::isnan(widen_bf16(narrow_bf16(NAN))));
}

}  // namespace
}  // namespace sz
