// Products of small matrices, row-major, with the same bits on every CPU and for every number of rows.
#pragma once
#include <cstddef>
#include <vector>

namespace sz::scorers {

// A weight matrix [rows, columns], kept in panels of the width that the kernel reads.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(const std::vector<float>& values, size_t rows, size_t columns);  // columns: a multiple of 32

  // out[n, columns] = x[n, rows] * this (+ out where `add`); `stride` counts floats from row to row.
  // Each element is one fused chain over `rows` in order. Thread: any.
  void multiply(const float* x, size_t x_stride, size_t n, float* out, size_t out_stride, bool add = false) const;

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }

 private:
  size_t rows_ = 0, columns_ = 0;
  std::vector<float> panels_;
};

}  // namespace sz::scorers
