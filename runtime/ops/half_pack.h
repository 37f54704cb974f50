// Between fp16 in memory and the fp32 panels that matrix kernels read. AVX-512 only: see half_matmul.h.
#pragma once
#include <cstdint>

namespace sz {

// Element (row, col) is at data[row * stride + col], or at data[col * stride + row] where it is stored transposed.
struct HalfMatrix {
  const uint16_t* data = nullptr;
  int64_t stride = 0;
  bool transposed = false;

  HalfMatrix from(int64_t row, int64_t col) const {
    return {data + (transposed ? col * stride + row : row * stride + col), stride, transposed};
  }
};

// to[r * to_stride + c] = matrix(r, c), widened. Rows of `to` up to padded_rows and columns up to padded_cols are 0.
void pack_half(const HalfMatrix& matrix, int64_t rows, int64_t cols, float* to, int64_t to_stride, int64_t padded_rows,
               int64_t padded_cols);

// to[i] = from[i] + bias[i], narrowed to nearest even; bias may be null.
void unpack_half(const float* from, const float* bias, uint16_t* to, int64_t n);

}  // namespace sz
