// 16 lanes on AVX2: two vectors of eight.
struct F {
  __m256 lo, hi;
};
struct D {
  __m256d v[4];
};
struct U {
  __m256i lo, hi;
};

[[maybe_unused]] static constexpr int kTileVectors = 1;  // of tile_product.inl: 12 of 16 registers are sums

static inline F set1(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
static inline F load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
static inline void store(float* p, F x) {
  _mm256_storeu_ps(p, x.lo);
  _mm256_storeu_ps(p + 8, x.hi);
}
static inline __m128i load_eight(const uint16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
static inline void store_eight(uint16_t* p, __m128i x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x); }
static inline F load_fp16(const uint16_t* p) {
  return {_mm256_cvtph_ps(load_eight(p)), _mm256_cvtph_ps(load_eight(p + 8))};
}
static inline void store_fp16(uint16_t* p, F x) {
  store_eight(p, _mm256_cvtps_ph(x.lo, _MM_FROUND_TO_NEAREST_INT));
  store_eight(p + 8, _mm256_cvtps_ph(x.hi, _MM_FROUND_TO_NEAREST_INT));
}
static inline __m256 widen_bf16_eight(__m128i bits) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
static inline F load_bf16(const uint16_t* p) {
  return {widen_bf16_eight(load_eight(p)), widen_bf16_eight(load_eight(p + 8))};
}
static inline __m128i narrow_bf16_eight(__m256 x) {
  const __m256i u = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(u, _mm256_add_epi32(_mm256_set1_epi32(0x7FFF), odd));
  const __m256i quiet = _mm256_or_si256(u, _mm256_set1_epi32(0x400000));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  const __m256i words = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}
static inline void store_bf16(uint16_t* p, F x) {
  store_eight(p, narrow_bf16_eight(x.lo));
  store_eight(p + 8, narrow_bf16_eight(x.hi));
}

static inline F add(F a, F b) { return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
static inline F sub(F a, F b) { return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
static inline F mul(F a, F b) { return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)}; }
static inline F div(F a, F b) { return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)}; }
static inline F sqrt(F a) { return {_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)}; }
// a b + c
static inline F fma(F a, F b, F c) { return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)}; }
// c - a b
static inline F fnma(F a, F b, F c) {
  return {_mm256_fnmadd_ps(a.lo, b.lo, c.lo), _mm256_fnmadd_ps(a.hi, b.hi, c.hi)};
}
// a > b ? a : b, so b where either is NaN.
static inline F max(F a, F b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
static inline F round_nearest(F a) {
  return {_mm256_round_ps(a.lo, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
          _mm256_round_ps(a.hi, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
static inline __m256 power_of_two_eight(__m256 n) {
  const __m256i biased = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  return _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23));
}
// 2^n for whole -126 <= n <= 127.
static inline F power_of_two(F n) { return {power_of_two_eight(n.lo), power_of_two_eight(n.hi)}; }
static inline F zero_where_less(F value, F x, F limit) {
  return {_mm256_and_ps(_mm256_cmp_ps(x.lo, limit.lo, _CMP_NLT_UQ), value.lo),
          _mm256_and_ps(_mm256_cmp_ps(x.hi, limit.hi, _CMP_NLT_UQ), value.hi)};
}
static inline bool any_equal(F a, F b) {
  const __m256 lo = _mm256_cmp_ps(a.lo, b.lo, _CMP_EQ_OQ), hi = _mm256_cmp_ps(a.hi, b.hi, _CMP_EQ_OQ);
  return _mm256_movemask_ps(_mm256_or_ps(lo, hi)) != 0;
}

// Zeroes infinities and NaNs, counting them.
static inline __m256 drop_non_finite_eight(__m256 x, int64_t& count) {
  const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
  const __m256 finite = _mm256_cmp_ps(magnitude, _mm256_set1_ps(__builtin_inff()), _CMP_LT_OQ);
  count += 8 - __builtin_popcount(unsigned(_mm256_movemask_ps(finite)));
  return _mm256_and_ps(finite, x);
}
static inline F drop_non_finite(F x, int64_t& count) {
  return {drop_non_finite_eight(x.lo, count), drop_non_finite_eight(x.hi, count)};
}

static inline D zero_double() {
  const __m256d zero = _mm256_setzero_pd();
  return {{zero, zero, zero, zero}};
}
static inline void store(double* p, const D& x) {
  for (int i = 0; i < 4; ++i) _mm256_storeu_pd(p + 4 * i, x.v[i]);
}
// sum + x^2
static inline D add_square(F x, const D& sum) {
  const __m128 quarters[4] = {_mm256_castps256_ps128(x.lo), _mm256_extractf128_ps(x.lo, 1),
                              _mm256_castps256_ps128(x.hi), _mm256_extractf128_ps(x.hi, 1)};
  D result;
  for (int i = 0; i < 4; ++i) {
    const __m256d wide = _mm256_cvtps_pd(quarters[i]);
    result.v[i] = _mm256_fmadd_pd(wide, wide, sum.v[i]);
  }
  return result;
}

static inline U set1_word(uint32_t x) { return {_mm256_set1_epi32(int(x)), _mm256_set1_epi32(int(x))}; }
static inline U shift_left_16(U a) { return {_mm256_slli_epi32(a.lo, 16), _mm256_slli_epi32(a.hi, 16)}; }
static inline __m256 at_least_eight(__m256i a, __m256i b) {
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a));
}
// x where a >= b, unsigned, else 0.
static inline F where_at_least(U a, U b, F x) {
  return {_mm256_and_ps(at_least_eight(a.lo, b.lo), x.lo), _mm256_and_ps(at_least_eight(a.hi, b.hi), x.hi)};
}
static inline uint32_t bits_at_least(U a, U b) {
  return uint32_t(_mm256_movemask_ps(at_least_eight(a.lo, b.lo))) |
         uint32_t(_mm256_movemask_ps(at_least_eight(a.hi, b.hi))) << 8;
}

// Philox4x32-10 of eight consecutive counters: words sit in the low halves of 64-bit lanes (what mul_epu32
// reads), even counters in one vector, odd in another.
static inline void philox_8(uint64_t key, uint64_t counter, uint64_t high, __m256i words[4]) {
  const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57);
  __m256i c0[2], c1[2], c2[2], c3[2];
  for (int h = 0; h < 2; ++h) {
    c0[h] = _mm256_add_epi64(_mm256_set1_epi64x(int64_t(counter + h)), _mm256_setr_epi64x(0, 2, 4, 6));
    c1[h] = _mm256_srli_epi64(c0[h], 32);
    c2[h] = _mm256_set1_epi64x(int64_t(high));
    c3[h] = _mm256_set1_epi64x(int64_t(high >> 32));
  }
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
    for (int h = 0; h < 2; ++h) {
      const __m256i p0 = _mm256_mul_epu32(m0, c0[h]), p1 = _mm256_mul_epu32(m1, c2[h]);
      c0[h] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1[h]), key0);
      c1[h] = p1;
      c2[h] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3[h]), key1);
      c3[h] = p0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  const __m256i* parts[4] = {c0, c1, c2, c3};
  for (int w = 0; w < 4; ++w) {
    words[w] = _mm256_blend_epi32(parts[w][0], _mm256_slli_epi64(parts[w][1], 32), 0xAA);
  }
}

// Of 16 consecutive counters, from `counter` on; words[w] lane i is word w of counter + i.
static inline void philox_16(uint64_t key, uint64_t counter, uint64_t high, U words[4]) {
  __m256i lo[4], hi[4];
  philox_8(key, counter, high, lo);
  philox_8(key, counter + 8, high, hi);
  for (int w = 0; w < 4; ++w) words[w] = {lo[w], hi[w]};
}

#include "ops/simd/lanes_common.inl"
