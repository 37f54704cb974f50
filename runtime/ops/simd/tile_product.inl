// A product of small matrices kept in registers, for kernels whose operands are in cache: include it inside a kernel.
// c = a b, or c + a b, with a(i, k) = a[i * a_row + k * a_k] and b(k, j) = b[k * b_k + j]. Sums run over k in order, one
// fused multiply-add each, so that the shape of a tile changes no bit.
static constexpr int kTileRows = 6;

struct Factors {
  const float* a;
  int64_t a_row, a_k;
  const float* b;
  int64_t b_k, k;
};

template <int kVectors>
static inline void tile_product(Factors f, float* c, int64_t c_row, bool onto) {
  F sum[kTileRows][kVectors];
#pragma GCC unroll 6
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sum[r][v] = onto ? load(c + r * c_row + 16 * v) : set1(0.0f);
  }
  for (; f.k > 0; --f.k, f.a += f.a_k, f.b += f.b_k) {
    F row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) row[v] = load(f.b + 16 * v);
#pragma GCC unroll 6
    for (int r = 0; r < kTileRows; ++r) {
      const F x = set1(f.a[r * f.a_row]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] = fma(x, row[v], sum[r][v]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) store(c + r * c_row + 16 * v, sum[r][v]);
  }
}

// kTileRows rows of 16 * vectors columns.
static void row_product(Factors f, float* c, int64_t c_row, int64_t vectors, bool onto) {
  for (; vectors >= kTileVectors; vectors -= kTileVectors, f.b += 16 * kTileVectors, c += 16 * kTileVectors) {
    tile_product<kTileVectors>(f, c, c_row, onto);
  }
  if constexpr (kTileVectors > 1) {
    if (vectors == 3) tile_product<3>(f, c, c_row, onto);
    if (vectors == 2) tile_product<2>(f, c, c_row, onto);
    if (vectors == 1) tile_product<1>(f, c, c_row, onto);
  }
}
