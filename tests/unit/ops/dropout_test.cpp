#include "ops/dropout.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <vector>

#include "ops/cpu.h"

namespace sz {
namespace {

const DropoutKey kKey{11, 3, 1};

class DropoutOnIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << name_of(GetParam());
    set_isa(GetParam());
  }
  void TearDown() override { set_isa(best_isa()); }
};

INSTANTIATE_TEST_SUITE_P(All, DropoutOnIsa, testing::Values(Isa::kScalar, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(DropoutOnIsa, EveryElementFollowsTheDefinition) {
  const double p = 0.3;
  const std::vector<uint64_t> positions{5, uint64_t(1) << 40, 0};
  for (auto dtype : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}) {
    const at::Tensor y = dropout(at::ones({3, 7, 39}, dtype), p, kKey, positions).to(at::kFloat);
    const float kept = at::ones({1}, dtype).mul(1 / (1 - p)).to(at::kFloat).item<float>();
    for (int64_t row = 0; row < 3; ++row) {
      for (int64_t e = 0; e < 7 * 39; ++e) {
        const float expected = dropout_keeps(p, kKey, positions[size_t(row)], uint64_t(e)) ? kept : 0.0f;
        ASSERT_EQ(y.const_data_ptr<float>()[row * 7 * 39 + e], expected) << dtype << " " << row << " " << e;
      }
    }
  }
}

TEST_P(DropoutOnIsa, ThreadsAndLongSamplesChangeNothing) {
  const at::Tensor x = at::randn({2, 100, 333});
  const std::vector<uint64_t> positions{1, 2};
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor one = dropout(x, 0.1, kKey, positions);
  at::set_num_threads(3);
  const at::Tensor three = dropout(x, 0.1, kKey, positions);
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(one, three));
  set_isa(Isa::kScalar);
  EXPECT_TRUE(at::equal(one, dropout(x, 0.1, kKey, positions)));
}

TEST_P(DropoutOnIsa, AddIsResidualPlusDropout) {
  const at::Tensor x = at::randn({2, 9, 31}), residual = at::randn({2, 9, 31});
  const std::vector<uint64_t> positions{4, 9};
  const at::Tensor expected = residual + dropout(x, 0.2, kKey, positions);
  EXPECT_TRUE(at::equal(dropout_add(residual, x, 0.2, kKey, positions), expected));
  const at::Tensor wide = dropout_add(residual.to(at::kDouble), x.to(at::kDouble), 0.2, kKey, positions);
  EXPECT_LT((wide - expected).abs().max().item<double>(), 1e-6);
}

TEST(Dropout, PaddingAndOrderOfRowsChangeNothing) {
  const at::Tensor x = at::randn({2, 5, 12});
  const at::Tensor alone = dropout(x.narrow(0, 1, 1), 0.5, kKey, std::vector<uint64_t>{8});
  at::Tensor padded = at::zeros_like(at::empty({3, 9, 12}));
  padded.select(0, 0).narrow(0, 0, 5).copy_(x.select(0, 1));
  const at::Tensor among = dropout(padded, 0.5, kKey, std::vector<uint64_t>{8, 2, 3});
  EXPECT_TRUE(at::equal(among.select(0, 0).narrow(0, 0, 5), alone.select(0, 0)));
}

TEST(Dropout, KeysGiveDifferentMasksOfTheRightRate) {
  const at::Tensor ones = at::ones({1, 400, 500});
  const std::vector<uint64_t> here{6}, there{7};
  const at::Tensor base = dropout(ones, 0.25, kKey, here);
  EXPECT_NEAR(base.sum().item<double>() / 200000, 1.0, 0.01);
  const DropoutKey seed{12, 3, 1}, segment{11, 4, 1}, draw{11, 3, 2};
  for (const at::Tensor& other : {dropout(ones, 0.25, seed, here), dropout(ones, 0.25, segment, here),
                                  dropout(ones, 0.25, draw, here), dropout(ones, 0.25, kKey, there)}) {
    // Kept in both: 0.75^2 of them, as for independent masks.
    const double both = (base * other).ne(0).sum().item<double>() / 200000;
    EXPECT_NEAR(both, 0.5625, 0.01);
  }
}

TEST(Dropout, ZeroRateGivesTheTensorItself) {
  const at::Tensor x = at::randn({1, 2, 3});
  EXPECT_TRUE(dropout(x, 0, kKey, std::vector<uint64_t>{0}).is_same(x));
}

TEST(Dropout, BackwardUsesTheSameMask) {
  const std::vector<uint64_t> positions{3, 4};
  const at::Tensor x = at::randn({2, 6, 20}).requires_grad_(), weight = at::randn({2, 6, 20});
  (dropout(x, 0.4, kKey, positions) * weight).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), dropout(weight, 0.4, kKey, positions)));
  EXPECT_TRUE(at::equal(x.grad(), dropout_backward(weight, 0.4, kKey, positions)));
  at::Tensor in_place = weight.clone();
  dropout_forward_(in_place, 0.4, kKey, positions);
  EXPECT_TRUE(at::equal(x.grad(), in_place));
}

TEST(Dropout, AddSendsGradientsToBoth) {
  const std::vector<uint64_t> positions{3, 4};
  const at::Tensor x = at::randn({2, 6, 20}).requires_grad_(), residual = at::randn({2, 6, 20}).requires_grad_();
  const at::Tensor weight = at::randn({2, 6, 20});
  (dropout_add(residual, x, 0.4, kKey, positions) * weight).sum().backward();
  EXPECT_TRUE(at::equal(residual.grad(), weight));
  EXPECT_TRUE(at::equal(x.grad(), dropout(weight, 0.4, kKey, positions)));
  const at::Tensor frozen = at::randn({2, 6, 20});
  const at::Tensor leaf = at::randn({2, 6, 20}).requires_grad_();
  dropout_add(frozen, leaf, 0.4, kKey, positions).sum().backward();
  EXPECT_TRUE(at::equal(leaf.grad(), dropout(at::ones_like(leaf), 0.4, kKey, positions)));
}

TEST(Dropout, TransposedInputIsReadByElement) {
  const at::Tensor x = at::randn({2, 20, 6}).transpose(1, 2);
  const std::vector<uint64_t> positions{3, 4};
  EXPECT_TRUE(at::equal(dropout(x, 0.4, kKey, positions), dropout(x.contiguous(), 0.4, kKey, positions)));
}

}  // namespace
}  // namespace sz
