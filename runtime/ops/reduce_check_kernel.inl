template <class T>
static void square_block(const T* x, int64_t n, SquareSum& out) {
  D sum = zero_double();
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) sum = add_square(drop_non_finite(load(x + i), out.non_finite), sum);
  if (i < n) sum = add_square(drop_non_finite(load_n(x + i, int(n - i)), out.non_finite), sum);
  out.sum_squares = sum_lanes(sum);
}

static void square_fp32(const void* x, int64_t n, SquareSum& out) {
  square_block(static_cast<const float*>(x), n, out);
}
static void square_fp16(const void* x, int64_t n, SquareSum& out) {
  square_block(static_cast<const Fp16*>(x), n, out);
}
static void square_bf16(const void* x, int64_t n, SquareSum& out) {
  square_block(static_cast<const Bf16*>(x), n, out);
}
