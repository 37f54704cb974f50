// fp16 and bf16 to and from fp32 in plain integer arithmetic, rounding to nearest even, bit for bit as F16C does
// (NaNs become quiet and keep their upper bits).
#pragma once
#include <cstdint>
#include <cstring>

namespace sz {

static inline uint32_t bits_of(float x) {
  uint32_t u;
  std::memcpy(&u, &x, 4);
  return u;
}

static inline float float_of(uint32_t u) {
  float x;
  std::memcpy(&x, &u, 4);
  return x;
}

static inline float widen_bf16(uint16_t h) { return float_of(uint32_t(h) << 16); }

static inline uint16_t narrow_bf16(float x) {
  const uint32_t u = bits_of(x);
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return uint16_t(u >> 16 | 0x40u);
  return uint16_t((u + 0x7FFFu + (u >> 16 & 1u)) >> 16);
}

static inline float widen_fp16(uint16_t h) {
  const uint32_t sign = uint32_t(h & 0x8000u) << 16;
  const uint32_t exponent = h >> 10 & 0x1Fu, mantissa = h & 0x3FFu;
  if (exponent == 0x1Fu) return float_of(sign | 0x7F800000u | mantissa << 13 | (mantissa ? 0x400000u : 0u));
  if (exponent != 0) return float_of(sign | (exponent + 112u) << 23 | mantissa << 13);
  const float magnitude = float(mantissa) * 0x1p-24f;  // subnormal: exact
  return float_of(sign | bits_of(magnitude));
}

static inline uint16_t narrow_fp16(float x) {
  const uint32_t u = bits_of(x);
  const uint32_t sign = u >> 16 & 0x8000u, magnitude = u & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return uint16_t(sign | 0x7E00u | (magnitude >> 13 & 0x3FFu));
  if (magnitude >= 0x477FF000u) return uint16_t(sign | 0x7C00u);  // 65520 and more round to infinity
  if (magnitude >= 0x38800000u) {                                 // normal, from 2^-14
    const uint32_t rebiased = magnitude - (112u << 23);
    return uint16_t(sign | ((rebiased + 0xFFFu + (rebiased >> 13 & 1u)) >> 13));
  }
  // Subnormal: adding 0.5 leaves the value in units of 2^-24 in the low bits, rounded to nearest even.
  return uint16_t(sign | (bits_of(float_of(magnitude) + 0.5f) - 0x3F000000u));
}

}  // namespace sz
