#include "ops/linear.h"

#include <ATen/autocast_mode.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "ops/half_matmul.h"

namespace sz {
namespace {

using torch::autograd::grad;

struct Layer {
  at::Tensor x, weight, bias, grad_y;
};

Layer make_layer(at::ScalarType type) {
  const auto leaf = [type](at::IntArrayRef shape) { return at::randn(shape).mul(0.5).to(type).requires_grad_(); };
  return {leaf({3, 5, 24}), leaf({40, 24}), leaf({40}), at::randn({3, 5, 40}).to(type)};
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kDouble) - b.to(at::kDouble)).abs() / (b.to(at::kDouble).abs() + 1)).max().item<double>();
}

TEST(Linear, OtherDtypesAreTheirLibrarysOwn) {
  for (const auto type : {at::kFloat, at::kBFloat16, at::kDouble}) {
    const Layer l = make_layer(type);
    EXPECT_TRUE(at::equal(linear(l.x, l.weight, l.bias), at::linear(l.x, l.weight, l.bias)));
  }
}

// Forward and backward of fp16 against fp64.
void expect_half_agrees_with_double() {
  const Layer half = make_layer(at::kHalf);
  const auto wide = [](const at::Tensor& t) { return t.detach().to(at::kDouble).requires_grad_(); };
  const Layer exact = {wide(half.x), wide(half.weight), wide(half.bias), half.grad_y.to(at::kDouble)};
  for (const bool with_bias : {true, false}) {
    const at::Tensor y = linear(half.x, half.weight, with_bias ? half.bias : at::Tensor());
    const at::Tensor wanted = at::linear(exact.x, exact.weight, with_bias ? std::optional(exact.bias) : std::nullopt);
    EXPECT_EQ(y.scalar_type(), at::kHalf);
    EXPECT_EQ(y.sizes(), wanted.sizes());
    EXPECT_LT(difference(y, wanted), 1e-3);
    std::vector<at::Tensor> of = {half.x, half.weight}, exactly = {exact.x, exact.weight};
    if (with_bias) of.push_back(half.bias), exactly.push_back(exact.bias);
    const auto got = grad({y}, of, {half.grad_y}), expected = grad({wanted}, exactly, {exact.grad_y});
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].scalar_type(), at::kHalf);
      EXPECT_LT(difference(got[i], expected[i]), 2e-3) << i;
    }
  }
}

TEST(Linear, HalfAgreesWithDoubleForwardAndBackward) { expect_half_agrees_with_double(); }

TEST(Linear, SoItDoesOnCpusWithoutAvx512) {
  const HalfRoute before = half_route();
  set_half_route(HalfRoute::kWidened);
  expect_half_agrees_with_double();
  set_half_route(before);
}

TEST(Linear, OnlyWhatTakesAGradientGetsOne) {
  const Layer l = make_layer(at::kHalf);
  const auto got = grad({linear(l.x.detach(), l.weight, l.bias.detach())}, {l.weight}, {l.grad_y});
  EXPECT_TRUE(got[0].defined());
  EXPECT_FALSE(linear(l.x.detach(), l.weight.detach(), l.bias.detach()).requires_grad());
}

TEST(Linear, AutocastCastsWhateverComes) {
  const Layer l = make_layer(at::kFloat);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_cache_enabled(false);
  for (const auto low : {at::kHalf, at::kBFloat16}) {
    at::autocast::set_autocast_dtype(at::kCPU, low);
    const at::Tensor y = linear(l.x, l.weight, l.bias);
    EXPECT_EQ(y.scalar_type(), low);
    const auto gradients = grad({y}, {l.x, l.weight, l.bias}, {l.grad_y.to(low)});
    for (const at::Tensor& g : gradients) EXPECT_EQ(g.scalar_type(), at::kFloat);
    EXPECT_LT(difference(y, at::linear(l.x.to(at::kDouble), l.weight.to(at::kDouble), l.bias.to(at::kDouble))), 3e-2);
  }
  at::autocast::set_autocast_enabled(at::kCPU, false);
}

}  // namespace
}  // namespace sz
