// sz/amp.hpp over a torch::nn::Module and an optimizer of torch::optim.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <sz/amp.hpp>

namespace sz::amp {
namespace {

struct Net : torch::nn::Module {
  torch::nn::Linear in = register_module("in", torch::nn::Linear(4, 16));
  torch::nn::LayerNorm norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({16})));
  torch::nn::Linear out = register_module("out", torch::nn::Linear(16, 1));

  at::Tensor loss(const at::Tensor& x) {
    const at::Tensor hidden = norm->forward(in->forward(x).to(at::kFloat)).relu();
    return (out->forward(hidden).to(at::kFloat) - x.sum(1, true)).square().mean();
  }
};

TEST(AmpModule, ParametersKeepTheirNames) {
  Net net;
  std::vector<std::string> names;
  for (const auto& [name, parameter] : named_parameters_of(net)) names.push_back(name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"in.bias", "in.weight", "norm.bias", "norm.weight", "out.bias",
                                             "out.weight"}));
}

TEST(AmpModule, TrainsInMixedPrecision) {
  at::manual_seed(1);
  Net net;
  Amp amp = initialize(net, {.opt_level = "O2", .loss_scale = "dynamic", .max_grad_norm = 1.0,
                             .patch_torch_functions = true});
  EXPECT_EQ(net.in->weight.scalar_type(), at::kBFloat16);
  EXPECT_EQ(net.out->bias.scalar_type(), at::kBFloat16);
  EXPECT_EQ(net.norm->weight.scalar_type(), at::kFloat);
  ASSERT_EQ(amp.master_parameters().size(), 6u);
  torch::optim::AdamW optimizer(amp.master_parameters(), torch::optim::AdamWOptions(2e-2));
  double first = 0, last = 0;
  for (int i = 0; i < 100; ++i) {
    const at::Tensor loss = net.loss(at::randn({32, 4}));
    last = loss.item<double>();
    if (i == 0) first = last;
    amp.scale(loss).backward();
    EXPECT_TRUE(amp.step(optimizer));
  }
  EXPECT_LT(last, 0.5 * first);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(amp.master_parameters()[i].scalar_type(), at::kFloat);
  }
}

}  // namespace
}  // namespace sz::amp
