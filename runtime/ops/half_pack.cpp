#include "ops/half_pack.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "ops/simd/half_bits.h"

namespace sz {
namespace {

#define SZ_AVX512 __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")))

SZ_AVX512 inline __m512 widen(__m256i halves) { return _mm512_cvtph_ps(halves); }

SZ_AVX512 void pack_row(const uint16_t* from, int64_t n, float* to) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    _mm512_storeu_ps(to + i, widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i))));
  }
  if (i == n) return;
  const __mmask16 rest = __mmask16((1u << (n - i)) - 1);
  _mm512_mask_storeu_ps(to + i, rest, widen(_mm256_maskz_loadu_epi16(rest, from + i)));
}

// 16 x 16 halves: rows become columns, by interleaving 16-, 32- and 64-bit words, then 128-bit halves.
SZ_AVX512 inline void transpose(__m256i rows[16]) {
  __m256i t[16];
  for (int i = 0; i < 8; ++i) {
    t[2 * i] = _mm256_unpacklo_epi16(rows[2 * i], rows[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_epi16(rows[2 * i], rows[2 * i + 1]);
  }
  for (int i = 0; i < 4; ++i) {
    for (int h = 0; h < 2; ++h) {
      rows[4 * i + 2 * h] = _mm256_unpacklo_epi32(t[4 * i + h], t[4 * i + h + 2]);
      rows[4 * i + 2 * h + 1] = _mm256_unpackhi_epi32(t[4 * i + h], t[4 * i + h + 2]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int q = 0; q < 4; ++q) {
      t[8 * i + 2 * q] = _mm256_unpacklo_epi64(rows[8 * i + q], rows[8 * i + q + 4]);
      t[8 * i + 2 * q + 1] = _mm256_unpackhi_epi64(rows[8 * i + q], rows[8 * i + q + 4]);
    }
  }
  for (int c = 0; c < 8; ++c) {
    rows[c] = _mm256_permute2x128_si256(t[c], t[c + 8], 0x20);
    rows[c + 8] = _mm256_permute2x128_si256(t[c], t[c + 8], 0x31);
  }
}

// to(r, c) = from[c * stride + r] for a whole 16 x 16 block.
SZ_AVX512 inline void pack_block_transposed(const uint16_t* from, int64_t stride, float* to, int64_t to_stride) {
  __m256i rows[16];
  for (int i = 0; i < 16; ++i) rows[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i * stride));
  transpose(rows);
  for (int i = 0; i < 16; ++i) _mm512_storeu_ps(to + i * to_stride, widen(rows[i]));
}

void pack_rest_transposed(const uint16_t* from, int64_t stride, int64_t rows, int64_t cols, float* to,
                          int64_t to_stride) {
  for (int64_t c = 0; c < cols; ++c) {
    for (int64_t r = 0; r < rows; ++r) to[r * to_stride + c] = widen_fp16(from[c * stride + r]);
  }
}

void pack_transposed(const HalfMatrix& m, int64_t rows, int64_t cols, float* to, int64_t to_stride) {
  for (int64_t c = 0; c < cols; c += 16) {
    for (int64_t r = 0; r < rows; r += 16) {
      const uint16_t* const from = m.data + c * m.stride + r;
      float* const target = to + r * to_stride + c;
      if (c + 16 <= cols && r + 16 <= rows) {
        pack_block_transposed(from, m.stride, target, to_stride);
      } else {
        pack_rest_transposed(from, m.stride, std::min<int64_t>(16, rows - r), std::min<int64_t>(16, cols - c), target,
                             to_stride);
      }
    }
  }
}

}  // namespace

void pack_half(const HalfMatrix& matrix, int64_t rows, int64_t cols, float* to, int64_t to_stride, int64_t padded_rows,
               int64_t padded_cols) {
  if (matrix.transposed) {
    pack_transposed(matrix, rows, cols, to, to_stride);
  } else {
    for (int64_t r = 0; r < rows; ++r) pack_row(matrix.data + r * matrix.stride, cols, to + r * to_stride);
  }
  for (int64_t r = 0; r < rows && cols < padded_cols; ++r) {
    std::memset(to + r * to_stride + cols, 0, size_t(padded_cols - cols) * sizeof(float));
  }
  for (int64_t r = rows; r < padded_rows; ++r) std::memset(to + r * to_stride, 0, size_t(padded_cols) * sizeof(float));
}

SZ_AVX512 void unpack_half(const float* from, const float* bias, uint16_t* to, int64_t n) {
  for (int64_t i = 0; i < n; i += 16) {
    const __mmask16 here = n - i >= 16 ? __mmask16(0xFFFF) : __mmask16((1u << (n - i)) - 1);
    __m512 x = _mm512_maskz_loadu_ps(here, from + i);
    if (bias) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(here, bias + i));
    _mm256_mask_storeu_epi16(to + i, here, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
}

}  // namespace sz
