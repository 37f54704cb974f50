#include "optim/adamw.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace sz {

namespace {

// The step's constants, computed in double and rounded once.
struct AdamWStep {
  float multiplier, one_minus_beta1, beta2, one_minus_beta2, inv_sqrt_correction2, eps, step_size;
  float decay;  // 1: none
};

struct AdamWStretch {
  int64_t n;
  float *master, *m, *v;
  const void* gradient;
  DType gradient_dtype;
  void* mirror;  // or null
  DType mirror_dtype;
};

}  // namespace
}  // namespace sz

#define SZ_KERNEL "optim/adamw_kernel.inl"
#include "ops/simd/foreach_isa.h"

namespace sz {

namespace {

constexpr int64_t kPiece = 16384;  // elements a task: a multiple of 64 bytes in each array

bool is_floating(DType t) { return t == DType::kF32 || t == DType::kF16 || t == DType::kBF16; }

void check(const AdamWParams& p) {
  const auto wrong = [](const std::string& key, const std::string& expected, double value) {
    throw Error(Exit::kUsage, "optimizer." + key + " must be " + expected + ", not " + std::to_string(value));
  };
  if (!(p.beta1 >= 0 && p.beta1 < 1)) wrong("betas[0]", "in [0, 1)", p.beta1);
  if (!(p.beta2 >= 0 && p.beta2 < 1)) wrong("betas[1]", "in [0, 1)", p.beta2);
  if (!(p.eps > 0 && std::isfinite(p.eps))) wrong("eps", "greater than 0", p.eps);
  if (!(p.weight_decay >= 0 && std::isfinite(p.weight_decay))) wrong("weight_decay", "at least 0", p.weight_decay);
}

class AdamW final : public Optimizer {
 public:
  explicit AdamW(const AdamWParams& params) : params_(params) {}

  std::string name() const override { return "AdamW"; }
  std::vector<std::string> state_names() const override { return {"exp_avg", "exp_avg_sq"}; }
  bool element_wise() const override { return true; }

  void update(UpdateUnit& unit, const StepScalars& scalars) override {
    SZ_ASSERT(unit.state.size() == 2 && scalars.step >= 1);
    SZ_ASSERT(is_floating(unit.gradient_dtype) && (!unit.mirror || is_floating(unit.mirror_dtype)));
    const AdamWStep step = constants(unit.decay, scalars);
    const auto kernel = SZ_DISPATCH(adamw_stretch);
    const int64_t pieces = (unit.numel + kPiece - 1) / kPiece;
    at::parallel_for(0, pieces, 2, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kPiece, last = std::min(end * kPiece, unit.numel);
      kernel(stretch(unit, first, last - first), step);
    });
  }

 private:
  AdamWStep constants(bool decays, const StepScalars& scalars) const {
    const double correction1 = 1 - std::pow(params_.beta1, double(scalars.step));
    const double correction2 = 1 - std::pow(params_.beta2, double(scalars.step));
    AdamWStep s;
    s.multiplier = float(scalars.multiplier);
    s.one_minus_beta1 = float(1 - params_.beta1);
    s.beta2 = float(params_.beta2);
    s.one_minus_beta2 = float(1 - params_.beta2);
    s.inv_sqrt_correction2 = float(1 / std::sqrt(correction2));
    s.eps = float(params_.eps);
    s.step_size = float(scalars.lr / correction1);
    s.decay = decays ? float(1 - scalars.lr * params_.weight_decay) : 1.0f;
    return s;
  }

  static AdamWStretch stretch(UpdateUnit& unit, int64_t first, int64_t n) {
    const auto* gradient = static_cast<const char*>(unit.gradient) + first * int64_t(size_of(unit.gradient_dtype));
    auto* mirror = static_cast<char*>(unit.mirror);
    if (mirror) mirror += first * int64_t(size_of(unit.mirror_dtype));
    return {n,        unit.master + first, unit.state[0] + first, unit.state[1] + first,
            gradient, unit.gradient_dtype, mirror,                unit.mirror_dtype};
  }

  AdamWParams params_;
};

}  // namespace

std::unique_ptr<Optimizer> make_adamw(const AdamWParams& params) {
  check(params);
  return std::make_unique<AdamW>(params);
}

}  // namespace sz
