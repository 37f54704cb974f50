#include "ops/half_matmul.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "ops/cpu.h"
#include "ops/half_pack.h"

namespace sz {
namespace {

constexpr int64_t kRows = 128, kCols = 128;  // of a block of the result
constexpr int64_t kDepth = 512;              // of one kernel call
constexpr int64_t kTasksPerThread = 2;       // at least, where the shape allows it
// Block kernels are made for each shape at its first use and kept: edges are rounded up, so that batches of many
// lengths need few of them.
constexpr int64_t kRowUnit = 32, kDepthUnit = 64;
constexpr int64_t kWidenedRows = 1024;  // at once, in the other route

std::atomic<int> chosen{-1};

int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
int64_t blocks_of(int64_t n, int64_t block) { return (n + block - 1) / block; }

HalfMatrix view(const at::Tensor& t, bool transposed) {
  return {reinterpret_cast<const uint16_t*>(t.const_data_ptr<at::Half>()), t.stride(0), transposed};
}

// One product. The right operand's panels, [column block][depth][kCols], are shared by all row blocks.
class PackedProduct {
 public:
  PackedProduct(const HalfMatrix& a, const HalfMatrix& b, const at::Tensor& bias, at::Tensor& out, int64_t depth)
      : a_(a), b_(b), out_(reinterpret_cast<uint16_t*>(out.mutable_data_ptr<at::Half>())), m_(out.size(0)),
        n_(out.size(1)), depth_(depth), padded_(round_up(depth, kDepthUnit)) {
    if (bias.defined()) bias_ = bias.to(at::kFloat).contiguous();
  }

  void run() {
    const int64_t panels = blocks_of(n_, kCols);
    panels_ = at::empty({panels * padded_ * kCols}, at::kFloat);
    at::parallel_for(0, panels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        pack_half(b_.from(0, j * kCols), depth_, cols_of(j), panel(j), kCols, padded_, cols_of(j));
      }
    });
    groups_ = column_groups();
    at::parallel_for(0, blocks_of(m_, kRows) * groups_, 1, [&](int64_t begin, int64_t end) {
      const at::Tensor left = at::empty({kRows * padded_}, at::kFloat), sums = at::empty({kRows * kCols}, at::kFloat);
      for (int64_t task = begin; task < end; ++task) {
        const int64_t i = task / groups_;
        if (task == begin || task % groups_ == 0) pack_left(i, left.data_ptr<float>());
        row_block(i, task % groups_, left.data_ptr<float>(), sums.data_ptr<float>());
      }
      at::native::cpublas::brgemm_release(/*is_vnni=*/false);
    });
  }

 private:
  int64_t cols_of(int64_t j) const { return std::min(kCols, n_ - j * kCols); }
  float* panel(int64_t j) const { return panels_.data_ptr<float>() + j * padded_ * kCols; }

  // A weight's gradient has few rows: its columns are then shared out too, though each group packs the left operand.
  int64_t column_groups() const {
    const int64_t threads = at::get_num_threads(), row_blocks = blocks_of(m_, kRows);
    if (threads == 1 || row_blocks % threads == 0) return 1;
    return std::clamp(blocks_of(kTasksPerThread * threads, row_blocks), int64_t(1), blocks_of(n_, kCols));
  }

  int64_t rows_of(int64_t i) const { return std::min(kRows, m_ - i * kRows); }

  void pack_left(int64_t i, float* left) const {
    pack_half(a_.from(i * kRows, 0), rows_of(i), depth_, left, padded_, round_up(rows_of(i), kRowUnit), padded_);
  }

  // Row block i of the result, column blocks group, group + groups, ...
  void row_block(int64_t i, int64_t group, const float* left, float* sums) const {
    const int64_t rows = rows_of(i), padded_rows = round_up(rows, kRowUnit);
    const float* const bias = bias_.defined() ? bias_.const_data_ptr<float>() : nullptr;
    for (int64_t j = group; j * kCols < n_; j += groups_) {
      const int64_t cols = cols_of(j);
      for (int64_t k = 0; k < padded_; k += kDepth) {
        at::native::cpublas::brgemm(padded_rows, cols, std::min(kDepth, padded_ - k), padded_, kCols, kCols,
                                    /*add_C=*/k > 0, left + k, panel(j) + k * kCols, sums, /*is_vnni=*/false);
      }
      for (int64_t r = 0; r < rows; ++r) {
        unpack_half(sums + r * kCols, bias ? bias + j * kCols : nullptr, out_ + (i * kRows + r) * n_ + j * kCols, cols);
      }
    }
  }

  HalfMatrix a_, b_;
  at::Tensor bias_, panels_;
  uint16_t* out_;
  int64_t m_, n_, depth_, padded_;
  int64_t groups_ = 1;  // of column blocks
};

// By stripes of rows of the result, so that a stripe alone is widened at a time.
void widened_product(const at::Tensor& a, bool transpose_a, const at::Tensor& b, bool transpose_b,
                     const at::Tensor& bias, at::Tensor& out) {
  const at::Tensor right = (transpose_b ? b.t() : b).to(at::kFloat);
  const at::Tensor wide_bias = bias.defined() ? bias.to(at::kFloat) : at::Tensor();
  for (int64_t first = 0; first < out.size(0); first += kWidenedRows) {
    const int64_t rows = std::min(kWidenedRows, out.size(0) - first);
    const at::Tensor left = (transpose_a ? a.narrow(1, first, rows).t() : a.narrow(0, first, rows)).to(at::kFloat);
    out.narrow(0, first, rows).copy_(bias.defined() ? at::addmm(wide_bias, left, right) : at::mm(left, right));
  }
}

}  // namespace

HalfRoute half_route() {
  const int set = chosen.load();
  if (set >= 0) return HalfRoute(set);
  return current_isa() == Isa::kAvx512 ? HalfRoute::kPacked : HalfRoute::kWidened;
}

void set_half_route(HalfRoute route) {
  SZ_ASSERT(route == HalfRoute::kWidened || best_isa() == Isa::kAvx512);
  chosen.store(int(route));
}

at::Tensor half_matmul(const at::Tensor& a_in, bool transpose_a, const at::Tensor& b_in, bool transpose_b,
                       const at::Tensor& bias) {
  const at::NoGradGuard no_grad;
  SZ_ASSERT(a_in.dim() == 2 && b_in.dim() == 2 && a_in.scalar_type() == at::kHalf && b_in.scalar_type() == at::kHalf);
  const at::Tensor a = a_in.contiguous(), b = b_in.contiguous();
  const int64_t m = a.size(transpose_a ? 1 : 0), depth = a.size(transpose_a ? 0 : 1), n = b.size(transpose_b ? 0 : 1);
  SZ_ASSERT(b.size(transpose_b ? 1 : 0) == depth && (!bias.defined() || bias.numel() == n));
  at::Tensor out = at::empty({m, n}, a.options());
  if (m == 0 || n == 0) return out;
  if (half_route() == HalfRoute::kPacked && depth > 0) {
    PackedProduct(view(a, transpose_a), view(b, transpose_b), bias, out, depth).run();
  } else {
    widened_product(a, transpose_a, b, transpose_b, bias, out);
  }
  return out;
}

}  // namespace sz
