// A training loop of one's own in mixed precision: a small network learns a function, one batch is poisoned on the
// way, and the step is skipped with the weights left alone.
//
//   amp_loop [O0|O1|O2] [bf16|fp16]
#include <ATen/ATen.h>

#include <cstdio>
#include <sz/amp.hpp>
#include <string>

namespace {

struct Network {
  at::Tensor in = leaf({64, 8}, 0.3), norm_weight = at::ones({64}).set_requires_grad(true),
             norm_bias = at::zeros({64}).set_requires_grad(true), out = leaf({1, 64}, 0.1);

  static at::Tensor leaf(at::IntArrayRef shape, double std) {
    return at::randn(shape).mul(std).set_requires_grad(true);
  }

  sz::amp::NamedParameters named_parameters() const {
    return {{"in", in}, {"norm.weight", norm_weight}, {"norm.bias", norm_bias}, {"out", out}};
  }
  at::Tensor loss(const at::Tensor& x, const at::Tensor& y) const {
    const at::Tensor hidden = at::layer_norm(at::linear(x, in), {64}, norm_weight, norm_bias);
    return (at::linear(at::gelu(hidden), out).to(at::kFloat) - y).square().mean();
  }
};

// Any optimizer with step() will do; torch::optim's are as good.
struct Momentum {
  std::vector<at::Tensor> parameters, velocity;
  double rate;

  Momentum(const std::vector<at::Tensor>& over, double rate) : parameters(over), rate(rate) {
    for (const at::Tensor& p : parameters) velocity.push_back(at::zeros_like(p).set_requires_grad(false));
  }
  void step() {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].grad().defined()) continue;
      velocity[i].mul_(0.9).add_(parameters[i].grad());
      parameters[i].sub_(velocity[i] * rate);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  at::manual_seed(1);
  Network network;
  sz::amp::Amp amp = sz::amp::initialize(network, {.opt_level = argc > 1 ? argv[1] : "O2",
                                                   .loss_scale = "dynamic",
                                                   .max_grad_norm = 1.0,
                                                   .patch_torch_functions = true,
                                                   .dtype = argc > 2 ? argv[2] : "bf16",
                                                   .scaling = {.initial_scale = 256, .growth_interval = 100}});
  Momentum optimizer(amp.master_parameters(), 0.02);
  double first = 0, last = 0;
  int skipped = 0;
  for (int step = 0; step < 300; ++step) {
    const at::Tensor x = at::randn({128, 8}), y = x.sin().sum(1, true);
    const at::Tensor loss = network.loss(step == 150 ? x * INFINITY : x, y);
    amp.scale(loss).backward();
    if (!amp.step(optimizer)) {
      ++skipped;
      std::printf("step %d skipped, scale %g\n", step, amp.get_scale());
      continue;
    }
    last = loss.item<double>();
    if (step == 0) first = last;
    if (step % 50 != 0) continue;
    std::printf("step %d: loss %.4f, norm %.3f, scale %g\n", step, last, amp.grad_norm(), amp.get_scale());
  }
  std::printf("loss %.4f -> %.4f, %d skipped, scale %g\n", first, last, skipped, amp.get_scale());
  return last < 0.3 * first && skipped == 1 ? 0 : 1;
}
