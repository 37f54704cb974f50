// GELU and its derivative against their formulas in double, on every instruction set.
#include "ops/gelu.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/cpu.h"

namespace sz {
namespace {

class GeluOnIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << name_of(GetParam());
    set_isa(GetParam());
    at::manual_seed(3);
  }
  void TearDown() override { set_isa(best_isa()); }

 private:
  at::NoGradGuard no_grad_;
};

INSTANTIATE_TEST_SUITE_P(All, GeluOnIsa, testing::Values(Isa::kScalar, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return name_of(info.param); });

double tanh_of(double x) { return std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)); }
double value(double x) { return 0.5 * x * (1 + tanh_of(x)); }
double slope(double x) {
  const double t = tanh_of(x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
}

at::Tensor each(const at::Tensor& x, double (*f)(double)) {
  at::Tensor y = x.to(at::kDouble).clone();
  for (int64_t i = 0; i < y.numel(); ++i) y.data_ptr<double>()[i] = f(y.data_ptr<double>()[i]);
  return y;
}

double worst(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

// Dtype and how far a value of magnitude up to 12 may be off.
constexpr std::pair<at::ScalarType, double> kBounds[] = {
    {at::kFloat, 2e-6}, {at::kBFloat16, 4e-2}, {at::kHalf, 5e-3}, {at::kDouble, 1e-13}};

TEST_P(GeluOnIsa, IsItsFormula) {
  for (const auto& [type, bound] : kBounds) {
    const at::Tensor x = at::linspace(-12, 12, 1003, at::kDouble).to(type);
    EXPECT_LE(worst(gelu_tanh(x), each(x, value)), bound) << type;
  }
}

TEST_P(GeluOnIsa, BackwardIsTheDerivative) {
  for (const auto& [type, bound] : kBounds) {
    const at::Tensor x = at::linspace(-12, 12, 1003, at::kDouble).to(type);
    at::Tensor grad = at::randn({1003}, at::kDouble).to(type);
    const at::Tensor expected = grad.to(at::kDouble) * each(x, slope);
    gelu_backward_(grad, x);
    EXPECT_LE(worst(grad, expected), bound) << type;
  }
}

TEST_P(GeluOnIsa, WithABiasItIsTheSumAndItsGelu) {
  for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}) {
    const at::Tensor before = at::randn({3, 5, 37}, at::kDouble).to(type), bias = at::randn({37}, at::kDouble).to(type);
    at::Tensor x = before.clone();
    const at::Tensor active = bias_gelu_(x, bias);
    EXPECT_TRUE(at::equal(x, before + bias)) << type;
    EXPECT_TRUE(at::equal(active, gelu_tanh(x))) << type;
    if (type == at::kDouble) continue;
    at::Tensor sum = before.clone();
    add_bias_(sum, bias);
    EXPECT_TRUE(at::equal(sum, x)) << type;
  }
}

TEST_P(GeluOnIsa, AutogradRecordsItAndChangesNoBit) {
  for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const at::AutoGradMode records(true);
    const at::Tensor x = at::randn({5, 19}).to(type).requires_grad_(), weight = at::randn({5, 19}).to(type);
    const at::Tensor y = gelu_tanh(x);
    EXPECT_TRUE(at::equal(y, gelu_tanh(x.detach()))) << type;
    (y * weight).sum().backward();
    at::Tensor grad = weight.clone();
    gelu_backward_(grad, x.detach());
    EXPECT_TRUE(at::equal(x.grad(), grad)) << type;
  }
}

TEST_P(GeluOnIsa, KeepsNaNAndOverflowsNowhere) {
  const float huge = std::numeric_limits<float>::max(), nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor x = at::tensor({huge, -huge, 0.0f, -0.0f, 100.0f, -100.0f, nan});
  const at::Tensor y = gelu_tanh(x);
  EXPECT_EQ(y[0].item<float>(), huge);
  for (const int i : {1, 2, 3, 5}) EXPECT_EQ(y[i].item<float>(), 0.0f) << i;
  EXPECT_EQ(y[4].item<float>(), 100.0f);
  EXPECT_TRUE(std::isnan(y[6].item<float>()));
}

TEST_P(GeluOnIsa, ThreadsAndTheCpuChangeNoBit) {
  const at::Tensor before = at::randn({301, 77}), bias = at::randn({77});
  const int threads = at::get_num_threads();
  const auto all = [&] {
    at::Tensor x = before.clone(), grad = before.clone();
    const at::Tensor active = bias_gelu_(x, bias);
    gelu_backward_(grad, x);
    return at::stack({x, active, grad});
  };
  at::set_num_threads(3);
  const at::Tensor three = all();
  at::set_num_threads(1);
  set_isa(Isa::kScalar);
  EXPECT_TRUE(at::equal(three, all()));
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace sz
