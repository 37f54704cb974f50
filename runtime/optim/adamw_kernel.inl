// Elements [0, n) of a unit's stretch. Every product and sum is written out as it rounds, so that all builds agree.
template <bool kDecay>
static inline F adamw_step(F gradient, F& m, F& v, F master, const AdamWStep& s) {
  const F g = mul(gradient, set1(s.multiplier));
  m = fma(sub(g, m), set1(s.one_minus_beta1), m);
  v = fma(mul(g, g), set1(s.one_minus_beta2), mul(v, set1(s.beta2)));
  const F denominator = fma(sqrt(v), set1(s.inv_sqrt_correction2), set1(s.eps));
  if (kDecay) master = mul(master, set1(s.decay));
  return fnma(set1(s.step_size), div(m, denominator), master);
}

template <bool kDecay, class G, class M>
static void adamw_run(const AdamWStretch& u, const G* gradient, M* mirror, const AdamWStep& s) {
  int64_t i = 0;
  for (; i + 16 <= u.n; i += 16) {
    F m = load(u.m + i), v = load(u.v + i);
    const F master = adamw_step<kDecay>(load(gradient + i), m, v, load(u.master + i), s);
    store(u.m + i, m);
    store(u.v + i, v);
    store(u.master + i, master);
    if (mirror) store(mirror + i, master);
  }
  if (i == u.n) return;
  const int tail = int(u.n - i);
  F m = load_n(u.m + i, tail), v = load_n(u.v + i, tail);
  const F master = adamw_step<kDecay>(load_n(gradient + i, tail), m, v, load_n(u.master + i, tail), s);
  store_n(u.m + i, m, tail);
  store_n(u.v + i, v, tail);
  store_n(u.master + i, master, tail);
  if (mirror) store_n(mirror + i, master, tail);
}

template <class G, class M>
static void adamw_decay(const AdamWStretch& u, M* mirror, const AdamWStep& s) {
  const auto* gradient = static_cast<const G*>(u.gradient);
  if (s.decay != 1.0f) {
    adamw_run<true>(u, gradient, mirror, s);
  } else {
    adamw_run<false>(u, gradient, mirror, s);
  }
}

template <class G>
static void adamw_mirror(const AdamWStretch& u, const AdamWStep& s) {
  switch (u.mirror_dtype) {
    case DType::kF16: return adamw_decay<G>(u, static_cast<Fp16*>(u.mirror), s);
    case DType::kBF16: return adamw_decay<G>(u, static_cast<Bf16*>(u.mirror), s);
    default: return adamw_decay<G>(u, static_cast<float*>(u.mirror), s);
  }
}

static void adamw_stretch(const AdamWStretch& u, const AdamWStep& s) {
  switch (u.gradient_dtype) {
    case DType::kF16: return adamw_mirror<Fp16>(u, s);
    case DType::kBF16: return adamw_mirror<Bf16>(u, s);
    default: return adamw_mirror<float>(u, s);
  }
}
