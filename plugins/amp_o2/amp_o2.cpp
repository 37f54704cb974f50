// Mixed precision (O1, O2) with dynamic loss scaling: the owner of the slot `precision`. What it decides stands in
// sz/loss_scale.hpp and dtype_plan.cpp, what it says in texts.cpp; here they are put on the host. Others vote too: what
// a good step changes is told, and stays, only once the loop applies it.
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include <sz/config.hpp>
#include <sz/decisions.hpp>
#include <sz/events.hpp>
#include <sz/loss_scale.hpp>
#include <sz/metrics.hpp>
#include <sz/model.hpp>
#include <sz/plugin.hpp>
#include <sz/precision.hpp>
#include <sz/state.hpp>

#include "dtype_plan.h"
#include "texts.h"

namespace amp_o2 {
namespace {

using sz::amp::Action;
using sz::amp::LossScale;
using sz::amp::Ruling;
using sz::amp::ScaleFacts;
using sz::amp::ScaleOptions;

const sz::When kOn = {{"opt_level", SZ_NOT_EQUAL, {"O0"}}};

sz_verdict verdict_of(Action action) {
  switch (action) {
    case Action::kSkip: return SZ_SKIP;
    case Action::kRollBack: return SZ_ROLL_BACK;
    case Action::kAbort: return SZ_ABORT;
    default: return SZ_APPLY;
  }
}

DtypeChoice read_choice(const sz::Config& config) {
  DtypeChoice choice;
  const std::string level = config.get_string("opt_level");
  choice.level = level == "O0" ? Level::kO0 : level == "O1" ? Level::kO1 : Level::kO2;
  choice.low = config.get_string("dtype") == "bf16" ? SZ_BF16 : SZ_F16;
  choice.keep_fp32 = config.get_strings("keep_fp32");
  return choice;
}

ScaleOptions read_scale(const sz::Config& config) {
  ScaleOptions options;
  const std::string scale = config.get_string("loss_scale");
  options.dynamic = scale == "dynamic";
  options.initial_scale = options.dynamic ? config.get_float("initial_scale") : std::strtod(scale.c_str(), nullptr);
  options.growth_interval = config.get_int("growth_interval");
  options.growth_factor = config.get_float("growth_factor");
  options.backoff_factor = config.get_float("backoff_factor");
  options.min_scale = config.get_float("min_scale");
  options.max_scale = config.get_float("max_scale");
  options.hysteresis = config.get_int("hysteresis");
  options.max_grad_norm = config.get_float("max_grad_norm");
  options.clip_from_start = config.has("train.grad_clip");
  options.explosion_factor = config.get_float("explosion_factor");
  options.max_rollbacks = config.get_int("max_rollbacks");
  options.variance_window = config.get_int("variance_window");
  options.variance_sigma = config.get_float("variance_sigma");
  options.variance_floor = config.get_float("variance_floor");
  return options;
}

class AmpO2 final : public sz::Plugin, public sz::Precision, public sz::Observer, public sz::Stateful {
 public:
  static sz::Descriptor describe();
  explicit AmpO2(sz::Host host) : Plugin(host) {}

  void start() override {
    const sz::Config config(host());
    choice_ = read_choice(config);
    options_ = read_scale(config);
    try {
      scale_.emplace(options_);
    } catch (const std::invalid_argument& e) {
      throw sz::Error(SZ_USAGE, std::string("[plugins.amp_o2]: ") + e.what());
    }
    decisions_.emplace(host());
    events_.emplace(host());
    metrics_.emplace(host());
  }

  void plan(const sz_model* model, std::span<sz_parameter_dtypes> parameters,
            std::span<sz_segment_dtypes> segments) override {
    const sz::Model shape(host(), model);
    std::vector<sz_role> roles;
    for (int64_t p = 0; p < shape.parameter_count(); ++p) roles.push_back(shape.parameter(p).role);
    fill_plan(choice_, roles, parameters, segments);
    tell_plan(roles);
  }

  double scale() const noexcept override { return scale_->scale(); }

  sz::Vote judge(const sz_step_facts& facts) override {
    const ScaleFacts seen = {.step = facts.step,
                             .grad_norm = facts.grad_norm,
                             .non_finite = facts.non_finite,
                             .loss = facts.loss,
                             .low_entries = facts.low_entries,
                             .low_zeros = facts.low_zeros};
    const Ruling ruling = scale_->judge(seen);
    const Text why = reason(ruling, seen, options_, place_of(facts.first_non_finite_parameter));
    ruling_ = ruling;
    untold_ = decisions(ruling, seen, options_, why);
    if (ruling.action != Action::kApply) tell();  // others can only make more of it
    if (facts.low_entries > 0) metrics_->publish("zero_share", double(facts.low_zeros) / double(facts.low_entries));
    return {.verdict = verdict_of(ruling.action), .reason = why.en, .clip = scale_->clip_limit(),
            .keep_data_position = ruling.keep_data_position, .reason_zh = why.zh};
  }

  void on(const sz_hook_info& info) override {
    switch (info.hook) {
      case SZ_OPTIMIZER_STEP:
        tell();
        return ruling_.reset();
      case SZ_STEP_SKIPPED:  // without a ruling where no token counted
        if (ruling_ && ruling_->action == Action::kApply) scale_->not_applied();
        return ruling_.reset();
      default:  // STEP_END: behind a roll back it has an earlier step
        if (info.facts != nullptr && info.step < info.facts->step) scale_->taken_back();
    }
  }

  std::string save_state() const override { return scale_->save(); }
  void load_state(std::string_view bytes, uint32_t) override {
    try {
      scale_->load(std::string(bytes));
    } catch (const std::invalid_argument& e) {
      throw sz::Error(SZ_CORRUPT, std::string("amp_o2: ") + e.what());
    }
  }

 private:
  // The parameter by name, and the first segment that takes it.
  Place place_of(int32_t parameter) const {
    if (parameter < 0) return {};
    const sz::Model model(host());
    Place place{model.parameter(parameter).name, "?"};
    for (int64_t s = model.segment_count() - 1; s >= 0; --s) {
      const sz_segment_info info = model.segment(s);
      for (uint32_t i = 0; i < info.parameter_count; ++i) {
        if (info.parameters[i] == parameter) place.segment = info.name;
      }
    }
    return place;
  }

  // What the ruling changes, as decisions and as an event.
  void tell() {
    if (!ruling_) return;
    for (const sz::Decision& decision : std::exchange(untold_, {})) decisions_->record(decision);
    if (const std::optional<double> sigma = std::exchange(ruling_->sigma, {})) {
      events_->publish("gradient_instability", {{"sigma", *sigma},
                                                {"scale_from", ruling_->scale_from},
                                                {"scale_to", ruling_->scale_to}});
    }
  }

  void tell_plan(const std::vector<sz_role>& roles) {
    const std::string low = choice_.low == SZ_F16 ? "fp16" : "bf16";
    int64_t kept = 0;
    for (const sz_role role : roles) kept += keeps_fp32(choice_, role);
    const std::string scale = (options_.dynamic ? "dynamic from " : "") + number(options_.initial_scale);
    const std::string scale_zh = (options_.dynamic ? "动态，初值 " : "固定 ") + number(options_.initial_scale);
    // bf16 logits are what the fast product gives; fp16 operands are widened for them.
    const bool wide = choice_.low == SZ_F16;
    const std::string loss = wide ? "loss in fp32" : "loss in fp32 from bf16 logits";
    const std::string loss_zh = wide ? "损失为 fp32" : "损失由 bf16 的 logits 以 fp32 计算";
    sz::Decision d = {.what = "dtype_plan", .cause = "opt_level and dtype of [plugins.amp_o2]"};
    if (choice_.level == Level::kO1) {
      d.to = "O1 " + low;
      d.text_en = "O1: fp32 parameters and activations, products in " + low + ", " + loss + ", scale " + scale;
      d.text_zh = "O1：参数与激活为 fp32，矩阵乘法用 " + low + "，" + loss_zh + "，损失缩放" + scale_zh;
    } else {
      d.to = "O2 " + low;
      const std::string counts = std::to_string(kept) + "/" + std::to_string(roles.size());
      d.text_en = "O2: fp32 master weights, " + low + " mirrors and activations, " + counts +
                  " parameters computed in fp32, gradients accumulated and reduced in fp32, " + loss + ", scale " +
                  scale;
      d.text_zh = "O2：主权重为 fp32，镜像与激活为 " + low + "，" + counts +
                  " 个参数以 fp32 计算，梯度以 fp32 累加与归约，" + loss_zh + "，损失缩放" + scale_zh;
    }
    decisions_->record(d);
  }

  DtypeChoice choice_;
  ScaleOptions options_;
  std::optional<LossScale> scale_;
  std::optional<Ruling> ruling_;       // of the attempt under way
  std::vector<sz::Decision> untold_;   // that follow from it
  std::optional<sz::Decisions> decisions_;
  std::optional<sz::Events> events_;
  std::optional<sz::Metrics> metrics_;
};

sz::Descriptor AmpO2::describe() {
  return sz::Descriptor("amp_o2", "1.0.0")
      .licence("Apache-2.0")
      .summary("mixed precision O2: fp32 masters, fp16 or bf16 compute, dynamic loss scale",
               "混合精度 O2：fp32 主权重，fp16 或 bf16 计算，动态损失缩放")
      .slot("precision", kOn)
      .hook({SZ_OPTIMIZER_STEP, SZ_STEP_SKIPPED, SZ_STEP_END}, {.when = kOn})
      .state(SZ_STATE_CHECKPOINT)
      .key({.name = "opt_level", .type = SZ_KEY_STRING, .default_toml = "\"O2\"",
            .help = "O0: fp32, claims nothing; O1: products only; O2: parameters and activations too",
            .choices = {"O0", "O1", "O2"}})
      .key({.name = "dtype", .type = SZ_KEY_STRING, .default_toml = "\"fp16\"", .help = "the 16-bit type",
            .choices = {"fp16", "bf16"}})
      .key({.name = "loss_scale", .type = SZ_KEY_STRING, .default_toml = "\"dynamic\"",
            .help = "dynamic, or a number that stays", .choices = {"dynamic"}, .min = 0x1p-24, .max = 0x1p40})
      .key({.name = "initial_scale", .type = SZ_KEY_FLOAT, .default_toml = "4096", .help = "of a dynamic scale",
            .min = 0x1p-24, .max = 0x1p40})
      .key({.name = "growth_interval", .type = SZ_KEY_INT, .default_toml = "2000",
            .help = "good steps in a row before the scale grows", .unit = "steps", .min = 1, .max = 1e9})
      .key({.name = "growth_factor", .type = SZ_KEY_FLOAT, .default_toml = "2", .help = "of the scale", .min = 1,
            .max = 1024})
      .key({.name = "backoff_factor", .type = SZ_KEY_FLOAT, .default_toml = "0.5", .help = "of the scale",
            .min = 0x1p-10, .max = 0.999})
      .key({.name = "min_scale", .type = SZ_KEY_FLOAT, .default_toml = "1",
            .help = "a non-finite gradient at this scale ends the run", .min = 0x1p-24, .max = 0x1p40})
      .key({.name = "max_scale", .type = SZ_KEY_FLOAT, .default_toml = "16777216", .help = "the scale never exceeds it",
            .min = 0x1p-24, .max = 0x1p40})
      .key({.name = "hysteresis", .type = SZ_KEY_INT, .default_toml = "3",
            .help = "bad attempts in a row before a roll back", .min = 1, .max = 1000})
      .key({.name = "max_grad_norm", .type = SZ_KEY_FLOAT, .default_toml = "1.0",
            .help = "clip limit from the first roll back or third explosion on; train.grad_clip wins", .min = 1e-6,
            .max = 1e6})
      .key({.name = "explosion_factor", .type = SZ_KEY_FLOAT, .default_toml = "10",
            .help = "times its running median a gradient norm is an explosion", .min = 1.5, .max = 1e6})
      .key({.name = "keep_fp32", .type = SZ_KEY_STRING_LIST, .default_toml = "[\"norm\"]",
            .help = "parameters that O2 computes in fp32", .choices = {"norm", "embedding", "bias"}})
      .key({.name = "accumulate", .type = SZ_KEY_STRING, .default_toml = "\"fp32\"",
            .help = "dtype in which gradients are summed over micro-batches and ranks; 16-bit sums would lose some",
            .choices = {"fp32"}})
      .key({.name = "max_rollbacks", .type = SZ_KEY_INT, .default_toml = "5",
            .help = "in a row without getting any further, before the run ends", .min = 0, .max = 1000})
      .key({.name = "variance_window", .type = SZ_KEY_INT, .default_toml = "50", .help = "of the variance watch",
            .unit = "steps", .min = 2, .max = 100000})
      .key({.name = "variance_sigma", .type = SZ_KEY_FLOAT, .default_toml = "0.4",
            .help = "coefficient of variation of the gradient norm that is a jump", .min = 0.01, .max = 100})
      .key({.name = "variance_floor", .type = SZ_KEY_FLOAT, .default_toml = "256",
            .help = "the variance watch never lowers the scale below it", .min = 0x1p-24, .max = 0x1p40});
}

}  // namespace
}  // namespace amp_o2

SZ_REGISTER_PLUGIN(amp_o2::AmpO2, sz::Precision, sz::Observer, sz::Stateful)
