#include "ops/half_matmul.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/cpu.h"

namespace sz {
namespace {

class HalfMatmul : public testing::TestWithParam<HalfRoute> {
 protected:
  void SetUp() override {
    if (GetParam() == HalfRoute::kPacked && best_isa() != Isa::kAvx512) GTEST_SKIP() << "this CPU lacks AVX-512";
    before_ = half_route();
    set_half_route(GetParam());
  }
  void TearDown() override { set_half_route(before_); }

 private:
  HalfRoute before_ = HalfRoute::kWidened;
};

INSTANTIATE_TEST_SUITE_P(Routes, HalfMatmul, testing::Values(HalfRoute::kPacked, HalfRoute::kWidened),
                         [](const auto& info) { return info.param == HalfRoute::kPacked ? "packed" : "widened"; });

at::Tensor half(at::IntArrayRef shape) { return at::randn(shape).to(at::kHalf); }

// Largest difference from the product in fp64, relative for large elements.
double error(const at::Tensor& got, const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias) {
  at::Tensor exact = at::mm(a.to(at::kDouble), b.to(at::kDouble));
  if (bias.defined()) exact = exact + bias.to(at::kDouble);
  return ((got.to(at::kDouble) - exact).abs() / (exact.abs() + 1.0)).max().item<double>();
}

TEST_P(HalfMatmul, EveryOrientationAndEdge) {
  const int64_t shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {128, 128, 64}, {130, 17, 40}, {33, 200, 513}, {257, 129, 1100}};
  for (const auto& [m, n, k] : shapes) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        const at::Tensor a = half({m, k}), b = half({k, n}), bias = half({n});
        const at::Tensor stored_a = ta ? a.t().contiguous() : a, stored_b = tb ? b.t().contiguous() : b;
        const at::Tensor with = half_matmul(stored_a, ta, stored_b, tb, bias);
        EXPECT_LT(error(with, a, b, bias), 1e-3) << m << " " << n << " " << k << " " << ta << tb;
        EXPECT_LT(error(half_matmul(stored_a, ta, stored_b, tb), a, b, {}), 1e-3);
      }
    }
  }
}

TEST_P(HalfMatmul, ThreadsChangeNothing) {
  // Many row blocks, and few as in a weight's gradient, where columns are shared out among the threads.
  const int64_t shapes[][3] = {{300, 300, 700}, {128, 520, 1030}, {384, 384, 600}, {40, 20, 64}};
  const int threads = at::get_num_threads();
  for (const auto& [m, n, k] : shapes) {
    const at::Tensor a = half({k, m}), b = half({k, n}), bias = half({n});
    at::set_num_threads(1);
    const at::Tensor one = half_matmul(a, true, b, false, bias);
    for (const int count : {2, 3, 5}) {
      at::set_num_threads(count);
      EXPECT_TRUE(at::equal(one, half_matmul(a, true, b, false, bias))) << m << " on " << count << " threads";
    }
  }
  at::set_num_threads(threads);
}

TEST_P(HalfMatmul, ARowDoesNotDependOnItsNeighbours) {
  const at::Tensor a = half({200, 96}), b = half({96, 64});
  const at::Tensor all = half_matmul(a, false, b, false);
  const at::Tensor alone = half_matmul(a.narrow(0, 150, 1), false, b, false);
  EXPECT_LT((alone - all.narrow(0, 150, 1)).abs().max().item<float>(), 0.02);
}

TEST_P(HalfMatmul, SumsAreNotFp16) {
  // 4096 ones: an fp16 sum would stop at 2048.
  const at::Tensor ones = at::full({1, 4096}, 1.0, at::kHalf);
  EXPECT_EQ(half_matmul(ones, false, ones, true).item<float>(), 4096);
}

TEST_P(HalfMatmul, OverflowAndNanGetThrough) {
  const at::Tensor large = at::full({1, 2}, 300.0, at::kHalf);
  EXPECT_TRUE(std::isinf(half_matmul(large, false, large, true).item<float>()));
  at::Tensor nan = at::full({2, 2}, 1.0, at::kHalf);
  nan[1][1] = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor product = half_matmul(nan, false, nan, true);
  EXPECT_EQ(product[0][0].item<float>(), 2);
  EXPECT_TRUE(std::isnan(product[1][0].item<float>()));
  const at::Tensor infinite = at::full({1, 1}, std::numeric_limits<float>::infinity(), at::kHalf);
  EXPECT_TRUE(std::isinf(half_matmul(infinite, false, at::full({1, 1}, 1.0, at::kHalf), false).item<float>()));
}

}  // namespace
}  // namespace sz
