#include "ops/reduce_check.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ops/cpu.h"

namespace sz {
namespace {

DType dtype_of(const at::Tensor& t) {
  return t.scalar_type() == at::kHalf ? DType::kF16 : t.scalar_type() == at::kBFloat16 ? DType::kBF16 : DType::kF32;
}

SquareSum of(const at::Tensor& t) { return square_sum(t.const_data_ptr(), dtype_of(t), t.numel()); }

TEST(SquareSum, AgreesWithDouble) {
  for (auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    for (int64_t n : {0, 1, 15, 16, 17, 4095, 4096, 4097, 100001}) {
      const at::Tensor x = at::randn({n}).to(dtype);
      const double expected = x.to(at::kDouble).square().sum().item<double>();
      const SquareSum r = of(x);
      EXPECT_NEAR(r.sum_squares, expected, 1e-12 * (expected + 1)) << n;
      EXPECT_EQ(r.non_finite, 0);
    }
  }
}

TEST(SquareSum, LargeValuesDoNotOverflow) {
  const at::Tensor x = at::empty({3}).fill_(3e38f);
  EXPECT_NEAR(of(x).sum_squares / (3 * 9e76), 1, 1e-6);
}

TEST(SquareSum, CountsAndLeavesOutNonFinite) {
  for (auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    at::Tensor x = at::empty({5000}, dtype).fill_(1);
    x[0] = std::numeric_limits<double>::infinity();
    x[17] = -std::numeric_limits<double>::infinity();
    x[4096] = std::nan("");
    x[4999] = std::nan("");
    for (Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
      set_isa(isa);
      EXPECT_EQ(of(x).non_finite, 4);
      EXPECT_EQ(of(x).sum_squares, 4996);
    }
    set_isa(best_isa());
  }
}

TEST(SquareSum, SameBitsForAnyThreadsAndCpu) {
  const int threads = at::get_num_threads();
  for (auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    const at::Tensor x = at::randn({1234567}).to(dtype);
    set_isa(Isa::kScalar);
    at::set_num_threads(1);
    const double expected = of(x).sum_squares;
    for (Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
      set_isa(isa);
      for (int n : {1, 2, 5}) {
        at::set_num_threads(n);
        EXPECT_EQ(of(x).sum_squares, expected) << name_of(isa) << " " << n;
      }
    }
  }
  set_isa(best_isa());
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace sz
