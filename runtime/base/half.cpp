#include "base/half.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sz {
namespace {

#if defined(__x86_64__)
bool has_f16c() {
  static const bool supported = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
  return supported;
}

// Both return how many elements they converted: the largest multiple of 8 within count.
__attribute__((target("avx,f16c"))) size_t widen_f16c(const uint16_t* in, float* out, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(halves));
  }
  return i;
}

__attribute__((target("avx,f16c"))) size_t narrow_f16c(const float* in, uint16_t* out, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), halves);
  }
  return i;
}
#else
bool has_f16c() { return false; }
size_t widen_f16c(const uint16_t*, float*, size_t) { return 0; }
size_t narrow_f16c(const float*, uint16_t*, size_t) { return 0; }
#endif

// A constant trip count and no aliasing: compilers vectorise this at -O2.
constexpr size_t kGroup = 32;

void narrow_group(const float* __restrict in, uint16_t* __restrict out) {
  for (size_t i = 0; i < kGroup; ++i) out[i] = bfloat16_of_float(in[i]);
}

void widen_group(const uint16_t* __restrict in, float* __restrict out) {
  for (size_t i = 0; i < kGroup; ++i) out[i] = float_of_bfloat16(in[i]);
}

}  // namespace

void floats_of_halves(const uint16_t* in, float* out, size_t count) {
  size_t i = has_f16c() ? widen_f16c(in, out, count) : 0;
  for (; i < count; ++i) out[i] = float_of_half(in[i]);
}

void halves_of_floats(const float* in, uint16_t* out, size_t count) {
  size_t i = has_f16c() ? narrow_f16c(in, out, count) : 0;
  for (; i < count; ++i) out[i] = half_of_float(in[i]);
}

void floats_of_bfloat16s(const uint16_t* in, float* out, size_t count) {
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) widen_group(in + i, out + i);
  for (; i < count; ++i) out[i] = float_of_bfloat16(in[i]);
}

void bfloat16s_of_floats(const float* in, uint16_t* out, size_t count) {
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) narrow_group(in + i, out + i);
  for (; i < count; ++i) out[i] = bfloat16_of_float(in[i]);
}

}  // namespace sz
