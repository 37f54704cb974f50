// Feeds the loss scale's state machine as the loop would.
#pragma once
#include <gtest/gtest.h>

#include <limits>
#include <sz/loss_scale.hpp>

namespace sz::amp {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

// Feeds attempts as the loop would: a step counts where it was applied, and a roll back returns to `stable`.
struct Driver {
  explicit Driver(const ScaleOptions& options) : scale(options) {}

  Ruling attempt(double norm, int64_t non_finite = 0, double loss = 2.0) {
    ScaleFacts facts;
    facts.step = step;
    facts.grad_norm = norm;
    facts.non_finite = non_finite;
    facts.loss = loss;
    const Ruling ruling = scale.judge(facts);
    if (ruling.action == Action::kApply) ++step;
    if (ruling.action == Action::kRollBack) step = stable;
    return ruling;
  }
  Ruling good(double norm = 1.0) { return attempt(norm); }
  Ruling bad() { return attempt(kNan, 7); }
  void warm_up(int steps = 20) {
    for (int i = 0; i < steps; ++i) ASSERT_EQ(good(1.0 + 0.01 * (i % 3)).action, Action::kApply);
  }

  LossScale scale;
  int64_t step = 0, stable = 0;
};

}  // namespace sz::amp
