// With u = sqrt(2 / pi) (x + 0.044715 x^3), GELU is x s with s = 1 / (1 + e^-2u), and its derivative
// s + x s (1 - s) 2 du/dx. The exponential is taken of -|2u|, so that it never overflows.
struct Sigmoid {
  F e, inverse, share;  // e^-|2u|, 1 / (1 + e), s
};

static inline Sigmoid sigmoid_of(F x) {
  const F one = set1(1.0f), zero = set1(0.0f);
  const F twice = mul(mul(x, set1(1.59576912f)), fma(mul(x, x), set1(0.044715f), one));
  const F negated = sub(zero, twice);
  const F e = exp_nonpositive(sub(zero, max(twice, negated)));
  const F inverse = div(one, add(one, e));
  const F upper = add(e, zero_where_less(sub(one, e), twice, zero));  // 1 where u >= 0, else e
  return {e, inverse, mul(upper, inverse)};
}

static inline F gelu_of(F x) { return mul(x, sigmoid_of(x).share); }

static inline F gelu_slope(F x) {
  const Sigmoid s = sigmoid_of(x);
  const F slope = mul(set1(1.59576912f), fma(mul(x, x), set1(0.134145f), set1(1.0f)));
  return fma(mul(mul(x, slope), mul(s.e, s.inverse)), s.inverse, s.share);
}

template <class T>
static inline void gelu_run(const T* x, T* y, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) store(y + i, gelu_of(load(x + i)));
  if (i < n) store_n(y + i, gelu_of(load_n(x + i, int(n - i))), int(n - i));
}

// A row: x += bias and, where there is a y, y = gelu(x) of what x became.
template <class T>
static inline void bias_row(T* x, const T* bias, T* y, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) store(x + i, add(load(x + i), load(bias + i)));
  if (i < n) store_n(x + i, add(load_n(x + i, int(n - i)), load_n(bias + i, int(n - i))), int(n - i));
  if (y) gelu_run(x, y, n);
}

template <class T>
static inline void slope_run(T* grad, const T* x, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) store(grad + i, mul(load(grad + i), gelu_slope(load(x + i))));
  if (i == n) return;
  const int tail = int(n - i);
  store_n(grad + i, mul(load_n(grad + i, tail), gelu_slope(load_n(x + i, tail))), tail);
}

template <class T>
static void gelu_stretch(const GeluStretch& s) {
  auto *const x = static_cast<T*>(s.x), *const y = static_cast<T*>(s.y);
  const auto* const bias = static_cast<const T*>(s.bias);
  if (s.slope) return slope_run(y, x, s.n);
  if (!bias) return gelu_run(x, y, s.n);
  for (int64_t i = 0; i < s.n; i += s.width) bias_row(x + i, bias, y ? y + i : nullptr, s.width);
}

static void gelu_pass(const GeluStretch& s, DType dtype) {
  switch (dtype) {
    case DType::kF16: return gelu_stretch<Fp16>(s);
    case DType::kBF16: return gelu_stretch<Bf16>(s);
    default: return gelu_stretch<float>(s);
  }
}
