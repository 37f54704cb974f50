// Shared by the three instruction sets: tails and reductions. Included at the end of each lanes_*.inl.

// Element types as they lie in memory.
struct Fp16 {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};

static inline F load(const Fp16* p) { return load_fp16(&p->bits); }
static inline F load(const Bf16* p) { return load_bf16(&p->bits); }
static inline void store(Fp16* p, F x) { store_fp16(&p->bits, x); }
static inline void store(Bf16* p, F x) { store_bf16(&p->bits, x); }

// The first n < 16 lanes; the others hold the bits of zero.
template <class T>
static inline F load_n(const T* p, int n) {
  alignas(64) T lanes[16];
  std::memset(lanes, 0, sizeof lanes);
  std::memcpy(lanes, p, n * sizeof(T));
  return load(lanes);
}

template <class T>
static inline void store_n(T* p, F x, int n) {
  alignas(64) T lanes[16];
  store(lanes, x);
  std::memcpy(p, lanes, n * sizeof(T));
}

// By halves: lane i with lane i + 8, then + 4, + 2, + 1.
static inline float sum_lanes(F x) {
  alignas(64) float lanes[16];
  store(lanes, x);
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

static inline float max_lanes(F x) {
  alignas(64) float lanes[16];
  store(lanes, x);
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
  }
  return lanes[0];
}

static inline double sum_lanes(const D& x) {
  alignas(64) double lanes[16];
  store(lanes, x);
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

// e^x for x <= 0, to about 1e-7 relative; 0 below -87.3; NaN stays NaN. Cephes' expf (S. Moshier).
static inline F exp_nonpositive(F x) {
  const F floor = set1(-87.3f);
  const F clamped = max(floor, x);  // keeps NaN: max returns its second argument then
  const F n = round_nearest(mul(clamped, set1(1.44269504f)));
  F r = fnma(n, set1(0.693359375f), clamped);
  r = fnma(n, set1(-2.12194440e-4f), r);
  F p = set1(1.9875691500e-4f);
  p = fma(p, r, set1(1.3981999507e-3f));
  p = fma(p, r, set1(8.3334519073e-3f));
  p = fma(p, r, set1(4.1665795894e-2f));
  p = fma(p, r, set1(1.6666665459e-1f));
  p = fma(p, r, set1(5.0000001201e-1f));
  p = fma(mul(p, r), r, add(r, set1(1.0f)));
  return zero_where_less(mul(p, power_of_two(n)), x, floor);
}
