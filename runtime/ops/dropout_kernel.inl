// Elements [first, first + n) of one sample's dropout; first is a multiple of 128.
template <bool kAdd, class T>
static void dropout_span(const T* residual, const T* x, T* y, int64_t n, const DropoutSpan& s) {
  const F scale = set1(s.scale);
  const U threshold = set1_word(s.threshold << 16);
  for (int64_t block = 0; block < n; block += 128) {
    U words[4];
    philox_16(s.key, (s.first + uint64_t(block)) / 8, s.counter_high, words);
    for (int slot = 0; slot < 8; ++slot) {
      const int64_t i = block + 16 * slot;
      if (i >= n) break;
      // The low half moved up compares like the high half: what lies below never reaches the threshold alone.
      const U number = slot % 2 ? words[slot / 2] : shift_left_16(words[slot / 2]);
      if (n - i >= 16) {
        F r = where_at_least(number, threshold, mul(load(x + i), scale));
        if (kAdd) r = add(load(residual + i), r);
        store(y + i, r);
      } else {
        const int tail = int(n - i);
        F r = where_at_least(number, threshold, mul(load_n(x + i, tail), scale));
        if (kAdd) r = add(load_n(residual + i, tail), r);
        store_n(y + i, r, tail);
      }
    }
  }
}

template <class T>
static void dropout_span_of(const void* residual, const void* x, void* y, int64_t n, const DropoutSpan& s) {
  const auto *from = static_cast<const T*>(x), *base = static_cast<const T*>(residual);
  if (base) {
    dropout_span<true>(base, from, static_cast<T*>(y), n, s);
  } else {
    dropout_span<false>(base, from, static_cast<T*>(y), n, s);
  }
}

static void dropout_fp32(const void* residual, const void* x, void* y, int64_t n, const DropoutSpan& s) {
  dropout_span_of<float>(residual, x, y, n, s);
}
static void dropout_fp16(const void* residual, const void* x, void* y, int64_t n, const DropoutSpan& s) {
  dropout_span_of<Fp16>(residual, x, y, n, s);
}
static void dropout_bf16(const void* residual, const void* x, void* y, int64_t n, const DropoutSpan& s) {
  dropout_span_of<Bf16>(residual, x, y, n, s);
}

static void dropout_fp64(const void* residual, const void* x, void* y, int64_t n, const DropoutSpan& s) {
  const auto *from = static_cast<const double*>(x), *base = static_cast<const double*>(residual);
  auto* to = static_cast<double*>(y);
  const U threshold = set1_word(s.threshold << 16);
  for (int64_t block = 0; block < n; block += 128) {
    U words[4];
    philox_16(s.key, (s.first + uint64_t(block)) / 8, s.counter_high, words);
    for (int slot = 0; slot < 8; ++slot) {
      const U number = slot % 2 ? words[slot / 2] : shift_left_16(words[slot / 2]);
      const uint32_t kept = bits_at_least(number, threshold);
      for (int64_t i = block + 16 * slot, lane = 0; lane < 16 && i < n; ++i, ++lane) {
        to[i] = (base ? base[i] : 0.0) + (kept >> lane & 1u ? from[i] * s.scale_double : 0.0);
      }
    }
  }
}
