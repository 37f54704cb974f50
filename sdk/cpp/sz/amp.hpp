// Mixed precision with loss scaling for a training loop of one's own, on LibTorch, without the runtime:
//
//   sz::amp::Amp amp = sz::amp::initialize(model, {.opt_level = "O2", .loss_scale = "dynamic", .max_grad_norm = 1.0,
//                                                  .patch_torch_functions = true});
//   torch::optim::AdamW optimizer(amp.master_parameters(), 1e-3);
//   for (...) {
//     amp.scale(model.forward(x, y)).backward();
//     amp.step(optimizer);             // unscale_(), judge, clip, step and write back; or skip
//   }
//   amp.save_state();                  // for a checkpoint, beside the masters and the optimizer's state
//
// A runnable whole: sdk/examples/amp_loop. The rules of skipping and scaling are those of sz/loss_scale.hpp; a loop of
// one's own has no stable state to go back to, so that what rolls back in the plugin is skipped here (last_ruling()
// tells). Thread: one at a time; autocast is switched on for the thread that called initialize().
#pragma once
#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/mul.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sz/loss_scale.hpp>

namespace sz::inline sdk {
namespace amp {

struct Options {
  std::string opt_level = "O2";         // "O0" fp32; "O1" fp32 parameters; "O2" 16-bit parameters with fp32 masters
  std::string loss_scale = "dynamic";   // or a number as text
  double max_grad_norm = 1.0;           // global-norm limit of every step; 0: none, and an explosion of the norm (see
                                        // loss_scale.hpp) is skipped, as what isn't finite is
  bool patch_torch_functions = true;    // run torch's functions under autocast, as long as the Amp lives
  std::string dtype = "bf16";           // or "fp16": LibTorch's own fp16 products are slow on most CPUs
  std::vector<std::string> keep_fp32 = {"norm"};  // O2 leaves parameters alone whose names contain one of these
  ScaleOptions scaling = {};            // further numbers; what loss_scale and max_grad_norm say wins
};

using NamedParameters = std::vector<std::pair<std::string, at::Tensor>>;

// Of torch::nn::Module, or of anything whose named_parameters() gives pairs.
template <class Model>
NamedParameters named_parameters_of(Model& model) {
  NamedParameters named;
  for (const auto& item : model.named_parameters()) {
    if constexpr (requires { item.key(); item.value(); }) {
      named.emplace_back(item.key(), item.value());
    } else {
      named.emplace_back(item.first, item.second);
    }
  }
  return named;
}

class Amp {
 public:
  // The parameters are the model's own tensors: O2 changes their dtype in place. Throws std::invalid_argument.
  Amp(const NamedParameters& parameters, const Options& options)
      : options_(options), scale_(scaling(options)), low_(options.dtype == "fp16" ? at::kHalf : at::kBFloat16) {
    if (options.opt_level != "O0" && options.opt_level != "O1" && options.opt_level != "O2") {
      throw std::invalid_argument("opt_level must be O0, O1 or O2, not " + options.opt_level);
    }
    if (options.dtype != "fp16" && options.dtype != "bf16") {
      throw std::invalid_argument("dtype must be fp16 or bf16, not " + options.dtype);
    }
    for (const auto& [name, parameter] : parameters) add(name, parameter);
    if (options.opt_level != "O0" && options.patch_torch_functions) autocast_.emplace(low_);
  }
  Amp(const Amp&) = delete;
  Amp& operator=(const Amp&) = delete;

  // fp32; what the optimizer updates.
  const std::vector<at::Tensor>& master_parameters() const { return masters_; }
  double get_scale() const { return options_.opt_level == "O0" ? 1.0 : scale_.scale(); }
  // Throws std::logic_error where unscaled gradients still wait for step() or zero_grad().
  at::Tensor scale(const at::Tensor& loss) {
    if (unscaled_) expect_no_gradients();
    unscaled_ = false;
    loss_ = loss.detach().item<double>();
    return loss * get_scale();
  }

  // Moves the gradients from the model to the masters, the scale taken out, and reads them once for norm and
  // finiteness. Once a step: further calls before step() change nothing. Returns whether all are finite.
  bool unscale_() {
    if (unscaled_) return facts_.non_finite == 0;
    const at::NoGradGuard no_grad;
    unscaled_ = true;
    facts_ = {};
    double squares = 0;
    for (size_t i = 0; i < model_.size(); ++i) squares += take_gradient(i);
    facts_.step = scale_.furthest();  // nothing here takes steps back
    facts_.loss = loss_;
    facts_.grad_norm = facts_.non_finite > 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares);
    return facts_.non_finite == 0;
  }

  // optimizer: anything with step(), made over master_parameters(). Returns whether the step was applied.
  // Throws std::runtime_error where the scale's rules end the run (see loss_scale.hpp).
  template <class Optimizer>
  bool step(Optimizer& optimizer) {
    unscale_();
    unscaled_ = false;
    last_ = scale_.judge(facts_);
    if (last_.action == Action::kAbort) {
      const bool explode = last_.fault == Fault::kExplosion;
      throw std::runtime_error(std::string("amp: gradients ") + (explode ? "keep exploding" : "stay non-finite") +
                               "; lower the learning rate, limit the norm or look at the data");
    }
    const bool applied = last_.action == Action::kApply;
    if (applied) {
      clip();
      optimizer.step();
      write_back();
    }
    zero_grad();
    return applied;
  }

  // Instead of step() it skips by hand: neither a good step nor a bad one.
  void zero_grad() {
    unscaled_ = false;
    for (at::Tensor& parameter : model_) parameter.mutable_grad() = at::Tensor();
    for (at::Tensor& master : masters_) master.mutable_grad() = at::Tensor();
  }
  const Ruling& last_ruling() const { return last_; }
  double grad_norm() const { return facts_.grad_norm; }  // of the last step, before clipping

  // For checkpoints, beside the masters and the optimizer's state, between two steps. load_state() writes the 16-bit
  // parameters from the masters, which are to be restored (copied into master_parameters()) before it. Throws
  // std::invalid_argument.
  std::string save_state() const { return scale_.save(); }
  void load_state(const std::string& text) {
    scale_.load(text);
    zero_grad();
    write_back();
  }

  // Writes the 16-bit parameters from the masters; for whoever changes these by other ways than step().
  void write_back() {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < model_.size(); ++i) {
      if (!own_master(i)) model_[i].copy_(masters_[i]);
    }
  }

 private:
  class Autocast {
   public:
    explicit Autocast(at::ScalarType low)
        : enabled_(at::autocast::is_autocast_enabled(at::kCPU)), dtype_(at::autocast::get_autocast_dtype(at::kCPU)),
          cached_(at::autocast::is_autocast_cache_enabled()) {
      at::autocast::set_autocast_enabled(at::kCPU, true);
      at::autocast::set_autocast_dtype(at::kCPU, low);
      at::autocast::set_autocast_cache_enabled(false);  // it would outlive the optimizer's step
    }
    ~Autocast() {
      at::autocast::set_autocast_enabled(at::kCPU, enabled_);
      at::autocast::set_autocast_dtype(at::kCPU, dtype_);
      at::autocast::set_autocast_cache_enabled(cached_);
    }
    Autocast(const Autocast&) = delete;

   private:
    bool enabled_;
    at::ScalarType dtype_;
    bool cached_;
  };

  static ScaleOptions scaling(const Options& options) {
    ScaleOptions scaling = options.scaling;
    scaling.max_grad_norm = options.max_grad_norm;
    scaling.clip_from_start = options.max_grad_norm > 0;
    scaling.restores = false;
    scaling.dynamic = options.loss_scale == "dynamic" && options.opt_level != "O0";
    if (options.opt_level == "O0") scaling.initial_scale = 1;
    if (options.loss_scale == "dynamic") return scaling;
    char* end = nullptr;
    scaling.initial_scale = std::strtod(options.loss_scale.c_str(), &end);
    if (end == options.loss_scale.c_str() || *end != '\0') {
      throw std::invalid_argument("loss_scale must be \"dynamic\" or a number, not " + options.loss_scale);
    }
    return scaling;
  }

  void add(const std::string& name, at::Tensor parameter) {
    if (!parameter.requires_grad() || !parameter.is_floating_point()) return;
    bool lowered = options_.opt_level == "O2";
    for (const std::string& kept : options_.keep_fp32) lowered = lowered && name.find(kept) == std::string::npos;
    model_.push_back(parameter);
    if (!lowered) {
      masters_.push_back(parameter);
      return;
    }
    const at::Tensor data = parameter.detach();
    masters_.push_back(data.to(at::kFloat).clone().set_requires_grad(true));
    parameter.set_data(data.to(low_));
  }

  bool own_master(size_t i) const { return masters_[i].is_same(model_[i]); }

  // Returns the sum of squares.
  double take_gradient(size_t i) {
    if (!model_[i].grad().defined()) return 0;
    const at::Tensor wide = model_[i].grad().to(at::kFloat).mul(1.0 / get_scale());
    const double squares = wide.to(at::kDouble).square().sum().item<double>();
    if (!std::isfinite(squares)) ++facts_.non_finite;
    model_[i].mutable_grad() = at::Tensor();
    masters_[i].mutable_grad() = wide;
    return squares;
  }

  void clip() {
    if (!(options_.max_grad_norm > 0 && facts_.grad_norm > options_.max_grad_norm)) return;
    const at::NoGradGuard no_grad;
    for (at::Tensor& master : masters_) {
      if (master.grad().defined()) master.mutable_grad().mul_(options_.max_grad_norm / facts_.grad_norm);
    }
  }

  void expect_no_gradients() const {
    for (const at::Tensor& master : masters_) {
      if (!master.grad().defined()) continue;
      throw std::logic_error("amp: scale() after unscale_(): call step(), or zero_grad() to skip, first");
    }
  }

  Options options_;
  LossScale scale_;
  at::ScalarType low_;
  std::vector<at::Tensor> model_, masters_;
  std::optional<Autocast> autocast_;
  ScaleFacts facts_;
  Ruling last_;
  double loss_ = 0;
  bool unscaled_ = false;
};

template <class Model>
Amp initialize(Model& model, const Options& options = {}) {
  return Amp(named_parameters_of(model), options);
}

}  // namespace amp
}  // namespace sz::inline sdk
