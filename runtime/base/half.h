// fp16 (IEEE binary16) and bf16 to and from fp32, without LibTorch.
//
// Rounding is to nearest, ties to even, subnormals included. A NaN becomes quiet: fp16 keeps its sign and
// the top bits of its payload, as F16C does; bf16 becomes 0x7fc0, as in LibTorch. So results do not depend
// on the CPU at hand. Thread: any.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sz {

inline float float_of_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  if (magnitude < 0x0400u) {  // zero or subnormal: magnitude * 2^-24, exact in fp32
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  if (magnitude < 0x7c00u) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  const uint32_t quiet = magnitude > 0x7c00u ? 0x00400000u : 0u;
  return std::bit_cast<float>(sign | 0x7f800000u | quiet | (magnitude & 0x03ffu) << 13);
}

inline uint16_t half_of_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | ((magnitude >> 13) & 0x03ffu);
  } else if (magnitude >= 0x47800000u) {  // 65536 and above; 65520 and above overflow by rounding below
    half = 0x7c00u;
  } else if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 0.5 leaves the value in units of 2^-24 in the low bits, rounded by the adder.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
  } else {
    const uint32_t odd = (magnitude >> 13) & 1u;
    half = (magnitude - (112u << 23) + 0x0fffu + odd) >> 13;
  }
  return static_cast<uint16_t>(sign | half);
}

inline float float_of_bfloat16(uint16_t value) { return std::bit_cast<float>(static_cast<uint32_t>(value) << 16); }

inline uint16_t bfloat16_of_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<uint16_t>(is_nan ? 0x7fc0u : rounded);
}

// Whole arrays, with the bits of the functions above; fp16 by F16C where the CPU has it. The arrays must not
// overlap.
void floats_of_halves(const uint16_t* in, float* out, size_t count);
void halves_of_floats(const float* in, uint16_t* out, size_t count);
void floats_of_bfloat16s(const uint16_t* in, float* out, size_t count);
void bfloat16s_of_floats(const float* in, uint16_t* out, size_t count);

}  // namespace sz
