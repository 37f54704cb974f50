// One head of causal attention, forward and backward. Scores exist for a few queries at a time; all products are in fp32.
#include "ops/simd/tile_product.inl"

static constexpr int64_t kPanel = 64;               // keys side by side in a transposed panel
static constexpr int64_t kQueries = 4 * kTileRows;  // whose scores backward holds at a time

static inline int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// Sizes of the working copies: `width` is the head's width in whole vectors.
struct HeadSizes {
  int64_t n, d, width, rows, keys;
  explicit HeadSizes(const AttentionHead& h)
      : n(h.n), d(h.d), width(round_up(h.d, 16)), rows(round_up(h.n, kQueries)), keys(round_up(h.n + kTileRows, kPanel)) {}
};

static inline float* take(float*& work, int64_t count) {
  float* const taken = work;
  work += count;
  return taken;
}

// [rows, width]: what is beyond the n x d elements is zero.
template <class T>
static float* packed(const Strided& from, const HeadSizes& s, float scale, float*& work) {
  float* const to = take(work, s.rows * s.width);
  const F factor = set1(scale);
  for (int64_t i = 0; i < s.n; ++i) {
    const T* const row = static_cast<const T*>(from.data) + i * from.step;
    float* const out = to + i * s.width;
    int64_t c = 0;
    for (; c + 16 <= s.d; c += 16) store(out + c, mul(load(row + c), factor));
    if (c < s.d) store(out + c, mul(load_n(row + c, int(s.d - c)), factor));
  }
  std::memset(to + s.n * s.width, 0, size_t((s.rows - s.n) * s.width) * sizeof(float));
  return to;
}

// Panels of kPanel rows of `from`, each transposed to [width, kPanel].
static float* transposed(const float* from, const HeadSizes& s, float*& work) {
  float* const to = take(work, s.keys * s.width);
  for (int64_t j0 = 0; j0 < s.keys; j0 += kPanel) {
    float* const panel = to + j0 * s.width;
    const int64_t count = j0 < s.n ? smaller(kPanel, s.n - j0) : 0;
    for (int64_t c = 0; c < s.width; ++c) {
      for (int64_t j = 0; j < count; ++j) panel[c * kPanel + j] = from[(j0 + j) * s.width + c];
      for (int64_t j = count; j < kPanel; ++j) panel[c * kPanel + j] = 0;
    }
  }
  return to;
}

// kTileRows rows times a transposed matrix: [kTileRows, 16 * vectors] into c, whose rows are s.keys apart.
static void times_panels(const float* rows, const float* panels, const HeadSizes& s, int64_t vectors, float* c) {
  for (int64_t v = 0; v < vectors; v += kPanel / 16) {
    const Factors f{rows, s.width, 1, panels + 16 * v * s.width, kPanel, s.width};
    row_product(f, c + 16 * v, s.keys, smaller(kPanel / 16, vectors - v), false);
  }
}

template <class T>
static void write_row(T* to, const float* from, int64_t d, float factor) {
  const F f = set1(factor);
  int64_t c = 0;
  for (; c + 16 <= d; c += 16) store(to + c, mul(load(from + c), f));
  if (c < d) store_n(to + c, mul(load(from + c), f), int(d - c));
}

// Query i sees keys 0 .. i.
static inline void hide_later(float* scores, int64_t i, int64_t end) {
  for (int64_t j = i + 1; j < end; ++j) scores[j] = -__builtin_inff();
}

// Scores become e^(score - highest). Returns their sum's inverse; the logarithm of the sum goes to log_sum_exp.
static float exponentials(float* scores, int64_t vectors, float& log_sum_exp) {
  F highest = set1(-__builtin_inff());
  for (int64_t v = 0; v < vectors; ++v) highest = max(load(scores + 16 * v), highest);
  const float top = max_lanes(highest);
  const F shift = set1(top);
  F sum = set1(0.0f);
  for (int64_t v = 0; v < vectors; ++v) {
    const F e = exp_nonpositive(sub(load(scores + 16 * v), shift));
    store(scores + 16 * v, e);
    sum = add(sum, e);
  }
  const float total = sum_lanes(sum);
  log_sum_exp = top + float(__builtin_log(double(total)));
  return 1.0f / total;
}

template <class T>
static void forward_head(const AttentionHead& h, float* work) {
  const HeadSizes s(h);
  const float* const query = packed<T>(h.query, s, h.scale, work);
  const float* const key = packed<T>(h.key, s, 1, work);
  const float* const value = packed<T>(h.value, s, 1, work);
  const float* const panels = transposed(key, s, work);
  float* const scores = take(work, kTileRows * s.keys);
  float* const mixed = take(work, kTileRows * s.width);
  for (int64_t i0 = 0; i0 < s.n; i0 += kTileRows) {
    const int64_t count = smaller(kTileRows, s.n - i0), seen = i0 + count, vectors = round_up(seen, 16) / 16;
    float inverse[kTileRows];
    times_panels(query + i0 * s.width, panels, s, vectors, scores);
    for (int64_t r = 0; r < count; ++r) {
      hide_later(scores + r * s.keys, i0 + r, 16 * vectors);
      inverse[r] = exponentials(scores + r * s.keys, vectors, h.log_sum_exp[i0 + r]);
    }
    row_product({scores, s.keys, 1, value, s.width, seen}, mixed, s.width, s.width / 16, false);
    for (int64_t r = 0; r < count; ++r) {
      write_row(static_cast<T*>(h.output.data) + (i0 + r) * h.output.step, mixed + r * s.width, s.d, inverse[r]);
    }
  }
}

// The gradient of a row's scores times its output: sum over the head's width.
static float row_dot(const float* a, const float* b, int64_t width) {
  F sum = set1(0.0f);
  for (int64_t c = 0; c < width; c += 16) sum = fma(load(a + c), load(b + c), sum);
  return sum_lanes(sum);
}

// One query's scores become probabilities, and `grads`, the gradients of probabilities, those of scores. Both are zero
// beyond the query's own key, up to `end`.
static void score_gradients(float* scores, float* grads, int64_t i, int64_t vectors, int64_t end, float log_sum_exp,
                            float dot) {
  hide_later(scores, i, 16 * vectors);
  const F shift = set1(log_sum_exp), mean = set1(dot);
  for (int64_t v = 0; v < vectors; ++v) {
    const F p = exp_nonpositive(sub(load(scores + 16 * v), shift));
    store(scores + 16 * v, p);
    store(grads + 16 * v, mul(p, sub(load(grads + 16 * v), mean)));
  }
  for (int64_t j = 16 * vectors; j < end; ++j) scores[j] = grads[j] = 0;
}

template <class T>
static void write_rows(const Strided& to, const float* from, const HeadSizes& s) {
  for (int64_t i = 0; i < s.n; ++i) write_row(static_cast<T*>(to.data) + i * to.step, from + i * s.width, s.d, 1);
}

template <class T>
static void backward_head(const AttentionHead& h, float* work) {
  const HeadSizes s(h);
  const float* const query = packed<T>(h.query, s, h.scale, work);
  const float* const key = packed<T>(h.key, s, 1, work);
  const float* const value = packed<T>(h.value, s, 1, work);
  const float* const output = packed<T>(h.output, s, 1, work);
  const float* const grad = packed<T>(h.grad, s, 1, work);
  const float *const key_panels = transposed(key, s, work), *const value_panels = transposed(value, s, work);
  float *const grad_key = take(work, s.rows * s.width), *const grad_value = take(work, s.rows * s.width);
  float *const scores = take(work, kQueries * s.keys), *const grads = take(work, kQueries * s.keys);
  float* const grad_query = take(work, kTileRows * s.width);
  std::memset(grad_key, 0, size_t(2 * s.rows * s.width) * sizeof(float));
  const int64_t wide = s.width / 16;
  for (int64_t b0 = 0; b0 < s.n; b0 += kQueries) {
    const int64_t end = smaller(b0 + kQueries, round_up(s.n, kTileRows));
    for (int64_t i0 = b0; i0 < end; i0 += kTileRows) {
      const int64_t seen = smaller(i0 + kTileRows, s.n), vectors = round_up(seen, 16) / 16;
      float *const p = scores + (i0 - b0) * s.keys, *const g = grads + (i0 - b0) * s.keys;
      times_panels(query + i0 * s.width, key_panels, s, vectors, p);
      times_panels(grad + i0 * s.width, value_panels, s, vectors, g);
      for (int64_t r = 0; r < kTileRows; ++r) {
        const int64_t i = i0 + r;
        const float dot = row_dot(grad + i * s.width, output + i * s.width, s.width);
        const float log_sum_exp = i < s.n ? h.log_sum_exp[i] : 0;
        score_gradients(p + r * s.keys, g + r * s.keys, i, vectors, end, log_sum_exp, dot);
      }
      row_product({g, s.keys, 1, key, s.width, seen}, grad_query, s.width, wide, false);
      for (int64_t i = i0; i < seen; ++i) {
        write_row(static_cast<T*>(h.grad_query.data) + i * h.grad_query.step, grad_query + (i - i0) * s.width, s.d,
                  h.scale);
      }
    }
    for (int64_t j0 = 0; j0 < end; j0 += kTileRows) {
      const Factors of_key{grads + j0, 1, s.keys, query + b0 * s.width, s.width, end - b0};
      const Factors of_value{scores + j0, 1, s.keys, grad + b0 * s.width, s.width, end - b0};
      row_product(of_key, grad_key + j0 * s.width, s.width, wide, true);
      row_product(of_value, grad_value + j0 * s.width, s.width, wide, true);
    }
  }
  write_rows<T>(h.grad_key, grad_key, s);
  write_rows<T>(h.grad_value, grad_value, s);
}

static void attention_head(const AttentionHead& h, float* work) {
  const bool backward = h.grad.data != nullptr;
  switch (h.dtype) {
    case DType::kF16: return backward ? backward_head<Fp16>(h, work) : forward_head<Fp16>(h, work);
    case DType::kBF16: return backward ? backward_head<Bf16>(h, work) : forward_head<Bf16>(h, work);
    default: return backward ? backward_head<float>(h, work) : forward_head<float>(h, work);
  }
}
