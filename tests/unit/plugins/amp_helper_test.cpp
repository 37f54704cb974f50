// sz/amp.hpp: mixed precision in a loop of one's own.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <sz/amp.hpp>

namespace sz::amp {
namespace {

struct Model {
  at::Tensor weight = at::full({2, 3}, 0.5).set_requires_grad(true), norm = at::ones({2}).set_requires_grad(true);
  NamedParameters named_parameters() const { return {{"weight", weight}, {"norm", norm}}; }
  at::Tensor loss(double factor) const {
    return (at::linear(at::ones({4, 3}), weight).to(at::kFloat) * norm).sum() * factor;
  }
};

struct Descent {
  std::vector<at::Tensor> parameters;
  int steps = 0;
  void step() {
    const at::NoGradGuard no_grad;
    ++steps;
    for (const at::Tensor& p : parameters) p.sub_(p.grad() * 0.1);
  }
};

TEST(AmpHelper, O2KeepsMastersAndNorms) {
  Model model;
  Amp amp = initialize(model);
  EXPECT_EQ(model.weight.scalar_type(), at::kBFloat16);
  EXPECT_EQ(model.norm.scalar_type(), at::kFloat);
  EXPECT_EQ(amp.master_parameters()[0].scalar_type(), at::kFloat);
  EXPECT_TRUE(amp.master_parameters()[1].is_same(model.norm));
}

TEST(AmpHelper, UnscalingTwiceChangesNothing) {  // reported of others
  Model model;
  Amp amp = initialize(model, {.max_grad_norm = 0});
  amp.scale(model.loss(1)).backward();
  EXPECT_TRUE(amp.unscale_());
  const at::Tensor once = amp.master_parameters()[0].grad().clone();
  EXPECT_TRUE(amp.unscale_());
  EXPECT_TRUE(at::equal(once, amp.master_parameters()[0].grad()));
  EXPECT_TRUE(at::equal(once, at::full({2, 3}, 4.0))) << "four rows of ones, the scale taken out";
  Descent descent{amp.master_parameters()};
  EXPECT_TRUE(amp.step(descent));
  EXPECT_TRUE(at::allclose(model.weight.to(at::kFloat), at::full({2, 3}, 0.1), 1e-2));
}

TEST(AmpHelper, NormsAreClipped) {
  Model model;
  Amp amp = initialize(model, {.max_grad_norm = 1.0});
  amp.scale(model.loss(1)).backward();
  Descent descent{amp.master_parameters()};
  const at::Tensor before = amp.master_parameters()[0].detach().clone();
  amp.step(descent);
  EXPECT_GT(amp.grad_norm(), 5);
  EXPECT_LT((amp.master_parameters()[0] - before).norm().item<double>(), 0.1 + 1e-6);
}

TEST(AmpHelper, ABadStepIsSkippedAndTheThirdHalvesTheScale) {
  Model model;
  Amp amp = initialize(model);
  Descent descent{amp.master_parameters()};
  const at::Tensor before = amp.master_parameters()[0].detach().clone();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(amp.get_scale(), 4096);
    amp.scale(model.loss(INFINITY)).backward();
    EXPECT_FALSE(amp.step(descent));
  }
  EXPECT_EQ(descent.steps, 0);
  EXPECT_EQ(amp.get_scale(), 2048);
  EXPECT_TRUE(at::equal(before, amp.master_parameters()[0].detach()));
}

TEST(AmpHelper, AutocastEndsWithIt) {
  Model model;
  {
    Amp amp = initialize(model, {.opt_level = "O1", .dtype = "fp16"});
    EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
    EXPECT_EQ(model.weight.scalar_type(), at::kFloat);
  }
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  Amp off = initialize(model, {.opt_level = "O1", .patch_torch_functions = false});
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(AmpHelper, WrongOptionsAreNamed) {
  Model model;
  EXPECT_THROW(initialize(model, {.opt_level = "O3"}), std::invalid_argument);
  EXPECT_THROW(initialize(model, {.loss_scale = "dynamik"}), std::invalid_argument);
  EXPECT_THROW(initialize(model, {.dtype = "fp8"}), std::invalid_argument);
  EXPECT_EQ(initialize(model, {.loss_scale = "64"}).get_scale(), 64);
  EXPECT_EQ(initialize(model, {.opt_level = "O0"}).get_scale(), 1);
}

}  // namespace
}  // namespace sz::amp
