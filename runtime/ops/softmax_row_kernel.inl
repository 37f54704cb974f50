// One row of logits: softmax statistics and, if asked for, the gradient of weight * loss in its place.

// The largest element; whatever a NaN does here, the sum of exponentials becomes NaN.
static float row_max(const float* x, int64_t n) {
  F highest = set1(-__builtin_inff());
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) highest = max(load(x + i), highest);
  float result = max_lanes(highest);
  for (; i < n; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

// Sum of e^(x - highest), and the exponentials themselves into x if kKeep.
template <bool kKeep>
static float row_exponentials(float* x, int64_t n, float highest) {
  const F shift = set1(highest);
  F sum = set1(0.0f);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const F e = exp_nonpositive(sub(load(x + i), shift));
    if (kKeep) store(x + i, e);
    sum = add(sum, e);
  }
  if (i == n) return sum_lanes(sum);
  const int tail = int(n - i);
  alignas(64) float lanes[16];
  for (int k = 0; k < 16; ++k) lanes[k] = k < tail ? x[i + k] : -__builtin_inff();
  const F e = exp_nonpositive(sub(load(lanes), shift));
  if (kKeep) store_n(x + i, e, tail);
  return sum_lanes(add(sum, e));
}

static bool row_contains(const float* x, int64_t n, float value) {
  const F wanted = set1(value);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    if (any_equal(load(x + i), wanted)) return true;
  }
  for (; i < n; ++i) {
    if (x[i] == value) return true;
  }
  return false;
}

static void scale_row(float* x, int64_t n, float factor) {
  const F f = set1(factor);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) store(x + i, mul(load(x + i), f));
  for (; i < n; ++i) x[i] *= factor;
}

static void softmax_row(float* x, int64_t n, int64_t label, float weight, bool gradient, SoftmaxRow& out) {
  const float highest = row_max(x, n), at_label = x[label];
  out.correct = at_label == highest && !row_contains(x, label, highest);
  const float sum = gradient ? row_exponentials<true>(x, n, highest) : row_exponentials<false>(x, n, highest);
  out.loss = __builtin_log(double(sum)) - (double(at_label) - double(highest));
  out.correct &= sum == sum;
  if (!gradient) return;
  scale_row(x, n, weight / sum);
  x[label] -= weight;
}

static void widen_row_bf16(const uint16_t* from, float* to, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) store(to + i, load_bf16(from + i));
  for (; i < n; ++i) to[i] = widen_bf16(from[i]);
}

static void narrow_row_bf16(const float* from, uint16_t* to, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) store_bf16(to + i, load(from + i));
  for (; i < n; ++i) to[i] = narrow_bf16(from[i]);
}
