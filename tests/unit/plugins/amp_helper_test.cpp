// sz/amp.hpp: mixed precision in a loop of one's own.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
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
  EXPECT_THROW(initialize(model, {.max_grad_norm = -1}), std::invalid_argument);
  EXPECT_EQ(initialize(model, {.loss_scale = "64"}).get_scale(), 64);
  EXPECT_EQ(initialize(model, {.opt_level = "O0"}).get_scale(), 1);
}

// --- a loop that is stopped, and goes on ---------------------------------------------------------------------------

// Learns a constant, with momentum; `spoiled` attempts have a loss that isn't finite.
struct Loop {
  at::Tensor weight = at::full({2, 3}, 0.5).set_requires_grad(true), norm = at::ones({2}).set_requires_grad(true);
  std::vector<at::Tensor> velocity;
  std::set<int> spoiled;
  std::vector<double> scales;
  Amp amp;

  explicit Loop(const Options& options, std::set<int> spoiled = {})
      : spoiled(std::move(spoiled)), amp(initialize(*this, options)) {
    for (const at::Tensor& master : amp.master_parameters()) velocity.push_back(at::zeros_like(master).detach());
  }
  NamedParameters named_parameters() const { return {{"weight", weight}, {"norm", norm}}; }

  at::Tensor loss(int attempt, double factor = 1) const {
    const at::Tensor x = at::full({4, 3}, 1 + 0.1 * std::sin(attempt)).to(weight.scalar_type());
    return (at::linear(x, weight).to(at::kFloat) * norm - 3).square().mean() * factor;
  }
  bool attempt(int i, double factor = 1) {
    amp.scale(loss(i, spoiled.contains(i) ? INFINITY : factor)).backward();
    const bool applied = amp.step(*this);
    scales.push_back(amp.get_scale());
    return applied;
  }
  void run(int from, int to) {
    for (int i = from; i < to; ++i) attempt(i);
  }
  void step() {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < velocity.size(); ++i) {
      const at::Tensor& master = amp.master_parameters()[i];
      velocity[i].mul_(0.5).add_(master.grad());
      master.sub_(velocity[i] * 0.01);
    }
  }
  // As a program would out of its checkpoint.
  void restore(const Loop& saved) {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < velocity.size(); ++i) {
      amp.master_parameters()[i].copy_(saved.amp.master_parameters()[i]);
      velocity[i].copy_(saved.velocity[i]);
    }
    amp.load_state(saved.amp.save_state());
  }
};

Options loop_options(const std::string& dtype) {
  return {.patch_torch_functions = false, .dtype = dtype,
          .scaling = {.initial_scale = 64, .growth_interval = 4, .min_scale = 0x1p-20, .variance_window = 5}};
}

TEST(AmpHelper, ALoopResumedInTheMiddleIsTheUninterruptedOne) {
  const std::set<int> spoiled = {5, 11, 12, 13, 20, 21, 40, 41, 42};
  for (const char* dtype : {"fp16", "bf16"}) {
    for (const int stop : {1, 12, 14, 21, 35}) {  // within bad rows, and behind one
      Loop whole(loop_options(dtype), spoiled), half(loop_options(dtype), spoiled), rest(loop_options(dtype), spoiled);
      whole.run(0, 60);
      half.run(0, stop);
      rest.restore(half);
      EXPECT_TRUE(at::equal(rest.weight, half.weight)) << "the 16-bit parameters are the restored masters' at once";
      rest.run(stop, 60);
      EXPECT_EQ(rest.scales, std::vector<double>(whole.scales.begin() + stop, whole.scales.end())) << dtype << stop;
      EXPECT_EQ(rest.amp.save_state(), whole.amp.save_state()) << dtype << stop;
      for (size_t i = 0; i < whole.velocity.size(); ++i) {
        EXPECT_TRUE(at::equal(rest.amp.master_parameters()[i], whole.amp.master_parameters()[i])) << dtype << stop;
      }
      EXPECT_TRUE(at::equal(rest.weight, whole.weight)) << dtype << stop;
      EXPECT_FALSE(std::is_sorted(rest.scales.rbegin(), rest.scales.rend())) << "it grows at some step";
    }
  }
}

TEST(AmpHelper, GoodStepsForgiveBadRowsAfterAResumeToo) {
  std::set<int> spoiled;
  for (int i = 30; i < 80; ++i) {
    if (i % 5 < 3) spoiled.insert(i);
  }
  Loop half(loop_options("bf16")), rest(loop_options("bf16"), spoiled);
  half.run(0, 30);
  rest.restore(half);
  EXPECT_NO_THROW(rest.run(30, 80));  // ten rows of three
}

TEST(AmpHelper, MastersThatOthersChangeAreWrittenBack) {
  Loop loop(loop_options("bf16"));
  {
    const at::NoGradGuard no_grad;
    loop.amp.master_parameters()[0].fill_(0.25);
  }
  loop.amp.write_back();
  EXPECT_TRUE(at::equal(loop.weight.to(at::kFloat), at::full({2, 3}, 0.25)));
}

// --- skips by hand, and explosions ---------------------------------------------------------------------------------

TEST(AmpHelper, ASkipByHandIsNoStep) {
  Loop by_hand(loop_options("bf16")), plain(loop_options("bf16"));
  by_hand.attempt(0), plain.attempt(0);
  by_hand.amp.scale(by_hand.loss(1)).backward();
  by_hand.amp.unscale_();
  by_hand.amp.zero_grad();
  EXPECT_EQ(by_hand.amp.save_state(), plain.amp.save_state());
  EXPECT_TRUE(by_hand.attempt(2) && plain.attempt(2));
  EXPECT_EQ(by_hand.amp.grad_norm(), plain.amp.grad_norm());
  EXPECT_EQ(by_hand.amp.save_state(), plain.amp.save_state());
  EXPECT_TRUE(at::equal(by_hand.weight, plain.weight));
}

TEST(AmpHelper, UnscaledGradientsAreNotAddedToScaledOnes) {
  Loop loop(loop_options("bf16"));
  loop.amp.scale(loop.loss(0)).backward();
  loop.amp.unscale_();
  EXPECT_THROW(loop.amp.scale(loop.loss(1)), std::logic_error);
  for (const at::Tensor& master : loop.amp.master_parameters()) master.mutable_grad() = at::Tensor();
  EXPECT_TRUE(loop.attempt(1)) << "the optimizer's own zero_grad() is as good";
}

TEST(AmpHelper, WithoutALimitExplosionsAreSkippedHoweverManyThereAre) {
  Options options = loop_options("bf16");
  options.max_grad_norm = 0;
  Loop loop(options);
  loop.run(0, 12);
  const at::Tensor before = loop.weight.detach().clone();
  for (int i = 12; i < 18; ++i) EXPECT_FALSE(loop.attempt(i, 1e6)) << i;  // scattered ones and rows of three
  EXPECT_TRUE(at::equal(loop.weight, before));
  EXPECT_TRUE(loop.attempt(18));
  EXPECT_FALSE(loop.attempt(19, 1e6));
  EXPECT_TRUE(loop.attempt(20));
  EXPECT_FALSE(loop.attempt(21, 1e6)) << "with a limit it would be clipped from here on";
  EXPECT_TRUE(loop.attempt(22));
  for (int i = 23; i < 40; ++i) EXPECT_FALSE(loop.attempt(i, 1e6)) << i;
  try {
    loop.attempt(40, 1e6);
    FAIL() << "six rows of three";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("gradients keep exploding"), std::string::npos) << e.what();
  }
}

TEST(AmpHelper, WithALimitExplosionsAreClippedAndApplied) {
  Loop loop(loop_options("bf16"));
  loop.run(0, 12);
  for (int i = 12; i < 18; ++i) EXPECT_TRUE(loop.attempt(i, 1e6)) << i;
}

}  // namespace
}  // namespace sz::amp
