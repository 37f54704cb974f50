// 16 lanes without vector instructions: the definition that the other two match bit for bit.
struct F {
  float v[16];
};
struct D {
  double v[16];
};
struct U {
  uint32_t v[16];
};

[[maybe_unused]] static constexpr int kTileVectors = 1;  // of tile_product.inl

template <class Op>
static inline F each(Op op) {
  F r;
  for (int i = 0; i < 16; ++i) r.v[i] = op(i);
  return r;
}

static inline F set1(float x) {
  return each([&](int) { return x; });
}
static inline F load(const float* p) {
  return each([&](int i) { return p[i]; });
}
static inline void store(float* p, const F& x) { std::memcpy(p, x.v, sizeof x.v); }
static inline F load_fp16(const uint16_t* p) {
  return each([&](int i) { return widen_fp16(p[i]); });
}
static inline F load_bf16(const uint16_t* p) {
  return each([&](int i) { return widen_bf16(p[i]); });
}
static inline void store_fp16(uint16_t* p, const F& x) {
  for (int i = 0; i < 16; ++i) p[i] = narrow_fp16(x.v[i]);
}
static inline void store_bf16(uint16_t* p, const F& x) {
  for (int i = 0; i < 16; ++i) p[i] = narrow_bf16(x.v[i]);
}

static inline F add(const F& a, const F& b) {
  return each([&](int i) { return a.v[i] + b.v[i]; });
}
static inline F sub(const F& a, const F& b) {
  return each([&](int i) { return a.v[i] - b.v[i]; });
}
static inline F mul(const F& a, const F& b) {
  return each([&](int i) { return a.v[i] * b.v[i]; });
}
static inline F div(const F& a, const F& b) {
  return each([&](int i) { return a.v[i] / b.v[i]; });
}
static inline F sqrt(const F& a) {
  return each([&](int i) { return __builtin_sqrtf(a.v[i]); });
}
// a b + c, rounded once.
static inline F fma(const F& a, const F& b, const F& c) {
  return each([&](int i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
}
// c - a b, rounded once.
static inline F fnma(const F& a, const F& b, const F& c) {
  return each([&](int i) { return __builtin_fmaf(-a.v[i], b.v[i], c.v[i]); });
}
// b where either is NaN.
static inline F max(const F& a, const F& b) {
  return each([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
static inline F round_nearest(const F& a) {
  return each([&](int i) { return __builtin_nearbyintf(a.v[i]); });
}
// 2^n for whole -126 <= n <= 127; anything for NaN.
static inline F power_of_two(const F& n) {
  return each([&](int i) { return n.v[i] == n.v[i] ? float_of(uint32_t(int(n.v[i]) + 127) << 23) : 1.0f; });
}
static inline F zero_where_less(const F& value, const F& x, const F& limit) {
  return each([&](int i) { return x.v[i] < limit.v[i] ? 0.0f : value.v[i]; });
}
static inline bool any_equal(const F& a, const F& b) {
  bool any = false;
  for (int i = 0; i < 16; ++i) any |= a.v[i] == b.v[i];
  return any;
}

// Zeroes infinities and NaNs, counting them.
static inline F drop_non_finite(const F& x, int64_t& count) {
  return each([&](int i) {
    const bool finite = (bits_of(x.v[i]) & 0x7F800000u) != 0x7F800000u;
    count += !finite;
    return finite ? x.v[i] : 0.0f;
  });
}

static inline D zero_double() { return {}; }
static inline void store(double* p, const D& x) { std::memcpy(p, x.v, sizeof x.v); }
// sum + x^2; the square of an fp32 number is exact in double, so no fused multiply-add is needed.
static inline D add_square(const F& x, const D& sum) {
  D r;
  for (int i = 0; i < 16; ++i) r.v[i] = sum.v[i] + double(x.v[i]) * double(x.v[i]);
  return r;
}

static inline U set1_word(uint32_t x) {
  U r;
  for (int i = 0; i < 16; ++i) r.v[i] = x;
  return r;
}
static inline U shift_left_16(const U& a) {
  U r;
  for (int i = 0; i < 16; ++i) r.v[i] = a.v[i] << 16;
  return r;
}
// x where a >= b, unsigned, else 0.
static inline F where_at_least(const U& a, const U& b, const F& x) {
  return each([&](int i) { return a.v[i] >= b.v[i] ? x.v[i] : 0.0f; });
}
static inline uint32_t bits_at_least(const U& a, const U& b) {
  uint32_t bits = 0;
  for (int i = 0; i < 16; ++i) bits |= uint32_t(a.v[i] >= b.v[i]) << i;
  return bits;
}

// Philox4x32-10 of 16 consecutive counters, from `counter` on; words[w] lane i is word w of counter + i.
static inline void philox_16(uint64_t key, uint64_t counter, uint64_t high, U words[4]) {
  for (int i = 0; i < 16; ++i) {
    const auto w = ::sz::philox(key, counter + uint64_t(i), high);
    for (int k = 0; k < 4; ++k) words[k].v[i] = w[size_t(k)];
  }
}

#include "ops/simd/lanes_common.inl"
