#include "scorer_embed/matrix.h"

#include <cmath>
#include <stdexcept>

namespace sz::scorers {
namespace {

constexpr size_t kPanel = 32;  // columns of a panel

// A tile of `Rows` rows times one panel. Compiled for each kind of CPU; std::fma rounds once on all of them, so that
// the results are equal.
template <size_t Rows>
[[gnu::always_inline]] inline void tile(const float* x, size_t x_stride, const float* panel, size_t depth, float* out,
                                        size_t out_stride, bool add) {
  float sums[Rows][kPanel];
  for (size_t r = 0; r < Rows; ++r) {
    for (size_t c = 0; c < kPanel; ++c) sums[r][c] = add ? out[r * out_stride + c] : 0.0f;
  }
  for (size_t k = 0; k < depth; ++k) {
    for (size_t r = 0; r < Rows; ++r) {
      const float factor = x[r * x_stride + k];
      for (size_t c = 0; c < kPanel; ++c) sums[r][c] = __builtin_fmaf(factor, panel[k * kPanel + c], sums[r][c]);
    }
  }
  for (size_t r = 0; r < Rows; ++r) {
    for (size_t c = 0; c < kPanel; ++c) out[r * out_stride + c] = sums[r][c];
  }
}

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), gnu::optimize("O3")]]
void multiply_panel(const float* x, size_t x_stride, size_t n, const float* panel, size_t depth, float* out,
                    size_t out_stride, bool add) {
  size_t row = 0;
  for (; row + 8 <= n; row += 8) {
    tile<8>(x + row * x_stride, x_stride, panel, depth, out + row * out_stride, out_stride, add);
  }
  for (; row < n; ++row) tile<1>(x + row * x_stride, x_stride, panel, depth, out + row * out_stride, out_stride, add);
}

}  // namespace

PackedMatrix::PackedMatrix(const std::vector<float>& values, size_t rows, size_t columns)
    : rows_(rows), columns_(columns), panels_(values.size()) {
  if (columns % kPanel != 0 || values.size() != rows * columns) {
    throw std::invalid_argument("a matrix has another shape than its values");
  }
  for (size_t panel = 0; panel < columns / kPanel; ++panel) {
    for (size_t k = 0; k < rows; ++k) {
      for (size_t c = 0; c < kPanel; ++c) {
        panels_[(panel * rows + k) * kPanel + c] = values[k * columns + panel * kPanel + c];
      }
    }
  }
}

void PackedMatrix::multiply(const float* x, size_t x_stride, size_t n, float* out, size_t out_stride, bool add) const {
  for (size_t panel = 0; panel < columns_ / kPanel; ++panel) {
    const float* weights = panels_.data() + panel * rows_ * kPanel;
    multiply_panel(x, x_stride, n, weights, rows_, out + panel * kPanel, out_stride, add);
  }
}

}  // namespace sz::scorers
