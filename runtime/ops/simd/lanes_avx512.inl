// 16 lanes on AVX-512.
struct F {
  __m512 v;
};
struct D {
  __m512d lo, hi;
};
struct U {
  __m512i v;
};

[[maybe_unused]] static constexpr int kTileVectors = 4;  // of tile_product.inl: 24 of 32 registers are sums

static inline F set1(float x) { return {_mm512_set1_ps(x)}; }
static inline F load(const float* p) { return {_mm512_loadu_ps(p)}; }
static inline void store(float* p, F x) { _mm512_storeu_ps(p, x.v); }
static inline F load_fp16(const uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
static inline void store_fp16(uint16_t* p, F x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT));
}
static inline F load_bf16(const uint16_t* p) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16))};
}
static inline void store_bf16(uint16_t* p, F x) {
  const __m512i u = _mm512_castps_si512(x.v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(u, _mm512_add_epi32(_mm512_set1_epi32(0x7FFF), odd));
  const __mmask16 nan = _mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q);
  const __m512i quiet = _mm512_or_si512(u, _mm512_set1_epi32(0x400000));
  const __m512i picked = _mm512_mask_blend_epi32(nan, rounded, quiet);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(picked, 16)));
}

static inline F add(F a, F b) { return {_mm512_add_ps(a.v, b.v)}; }
static inline F sub(F a, F b) { return {_mm512_sub_ps(a.v, b.v)}; }
static inline F mul(F a, F b) { return {_mm512_mul_ps(a.v, b.v)}; }
static inline F div(F a, F b) { return {_mm512_div_ps(a.v, b.v)}; }
static inline F sqrt(F a) { return {_mm512_sqrt_ps(a.v)}; }
static inline F fma(F a, F b, F c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }    // a b + c
static inline F fnma(F a, F b, F c) { return {_mm512_fnmadd_ps(a.v, b.v, c.v)}; }  // c - a b
// a > b ? a : b, so b where either is NaN.
static inline F max(F a, F b) { return {_mm512_max_ps(a.v, b.v)}; }
static inline F round_nearest(F a) { return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT)}; }
// 2^n for whole -126 <= n <= 127.
static inline F power_of_two(F n) {
  const __m512i biased = _mm512_add_epi32(_mm512_cvtps_epi32(n.v), _mm512_set1_epi32(127));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(biased, 23))};
}
static inline F zero_where_less(F value, F x, F limit) {
  return {_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x.v, limit.v, _CMP_NLT_UQ), value.v)};
}
static inline bool any_equal(F a, F b) { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ) != 0; }

// Zeroes infinities and NaNs, counting them.
static inline F drop_non_finite(F x, int64_t& count) {
  const __mmask16 finite = _mm512_cmp_ps_mask(_mm512_abs_ps(x.v), _mm512_set1_ps(__builtin_inff()), _CMP_LT_OQ);
  count += 16 - __builtin_popcount(finite);
  return {_mm512_maskz_mov_ps(finite, x.v)};
}

static inline D zero_double() { return {_mm512_setzero_pd(), _mm512_setzero_pd()}; }
static inline void store(double* p, const D& x) {
  _mm512_storeu_pd(p, x.lo);
  _mm512_storeu_pd(p + 8, x.hi);
}
// sum + x^2
static inline D add_square(F x, const D& sum) {
  const __m512d lo = _mm512_cvtps_pd(_mm512_castps512_ps256(x.v));
  const __m512d hi = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x.v, 1));
  return {_mm512_fmadd_pd(lo, lo, sum.lo), _mm512_fmadd_pd(hi, hi, sum.hi)};
}

static inline U set1_word(uint32_t x) { return {_mm512_set1_epi32(int(x))}; }
static inline U shift_left_16(U a) { return {_mm512_slli_epi32(a.v, 16)}; }
// x where a >= b, unsigned, else 0.
static inline F where_at_least(U a, U b, F x) { return {_mm512_maskz_mov_ps(_mm512_cmpge_epu32_mask(a.v, b.v), x.v)}; }
static inline uint32_t bits_at_least(U a, U b) { return _mm512_cmpge_epu32_mask(a.v, b.v); }

// Philox4x32-10 of 16 consecutive counters, from `counter` on; words[w] lane i is word w of counter + i.
// Words sit in the low halves of 64-bit lanes (what mul_epu32 reads), even counters in one vector, odd in another.
static inline void philox_16(uint64_t key, uint64_t counter, uint64_t high, U words[4]) {
  const __m512i m0 = _mm512_set1_epi64(0xD2511F53), m1 = _mm512_set1_epi64(0xCD9E8D57);
  __m512i c0[2], c1[2], c2[2], c3[2];
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  for (int h = 0; h < 2; ++h) {
    c0[h] = _mm512_add_epi64(_mm512_set1_epi64(int64_t(counter + h)), even);
    c1[h] = _mm512_srli_epi64(c0[h], 32);
    c2[h] = _mm512_set1_epi64(int64_t(high));
    c3[h] = _mm512_set1_epi64(int64_t(high >> 32));
  }
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const __m512i key0 = _mm512_set1_epi64(k0), key1 = _mm512_set1_epi64(k1);
    for (int h = 0; h < 2; ++h) {
      const __m512i p0 = _mm512_mul_epu32(m0, c0[h]), p1 = _mm512_mul_epu32(m1, c2[h]);
      c0[h] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c1[h], key0, 0x96);  // xor of three
      c1[h] = p1;
      c2[h] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c3[h], key1, 0x96);
      c3[h] = p0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  const __m512i* parts[4] = {c0, c1, c2, c3};
  for (int w = 0; w < 4; ++w) {
    words[w].v = _mm512_mask_blend_epi32(0xAAAA, parts[w][0], _mm512_slli_epi64(parts[w][1], 32));
  }
}

#include "ops/simd/lanes_common.inl"
