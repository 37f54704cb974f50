#include "pacing.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "number_text.h"

namespace curriculum {
namespace {

class Schedule final : public sz::Pacing {
 public:
  Schedule(std::string name, const Settings& settings) : name_(std::move(name)), settings_(settings) {}

  Move pace(const sz_pacing_signals& signals) override {
    const double share = 1 - settings_.final_release;
    const double progress = share > 0 ? std::min(1.0, signals.progress / share) : 1.0;
    const double wanted = schedule_at(name_, settings_, progress);
    const bool last = progress >= 1 && std::abs(wanted - signals.threshold) > 1e-6;
    if (!last && std::abs(wanted - signals.threshold) < kScheduleStep) return {signals.threshold};
    return {wanted, "schedule " + name_ + " after " + percent(signals.progress) + " of the run"};
  }

 private:
  std::string name_;
  const Settings& settings_;
};

class Loops final : public sz::Pacing {
 public:
  Loops(LoopUse use, const Settings& settings, const Tuning& tuning)
      : use_(use), settings_(settings), tuning_(tuning) {}

  Move pace(const sz_pacing_signals& signals) override {
    if (signals.warming_up) return {signals.threshold};
    if (signals.bucket_count > 0) return use_.outer ? outer(signals) : Move{signals.threshold};
    const bool due = signals.step > 0 && signals.step % settings_.inner_every == 0;
    return use_.inner && due ? inner(signals) : Move{signals.threshold};
  }

 private:
  Move inner(const sz_pacing_signals& signals) const {
    const double spread = settings_.inner_window ? signals.window_loss_std : signals.batch_loss_std;
    if (!std::isfinite(spread)) return {signals.threshold};
    const std::string measured = "inner loop: standard deviation of the losses is " + number(spread);
    if (spread < settings_.inner_low) {
      return {signals.threshold * (1 + settings_.inner_raise), measured + ", below " + number(settings_.inner_low)};
    }
    if (spread > settings_.inner_high) {
      return {signals.threshold * (1 - settings_.inner_lower), measured + ", above " + number(settings_.inner_high)};
    }
    return {signals.threshold};
  }

  Move outer(const sz_pacing_signals& signals) const {
    double sum = 0;
    int counted = 0;
    for (uint64_t b = 0; b < signals.bucket_count; ++b) {
      if (!std::isfinite(signals.bucket_slope[b])) continue;
      sum += signals.bucket_slope[b];
      ++counted;
    }
    if (counted == 0 || sum == 0) return {signals.threshold};
    const double slope = sum / counted;
    const double step = slope > 0 ? tuning_.outer_factor : -tuning_.outer_factor;
    return {signals.threshold + step, "outer loop: validation accuracy changes by " + number(slope) +
                                          " an epoch, mean over " + std::to_string(counted) + " buckets"};
  }

  LoopUse use_;
  const Settings& settings_;
  const Tuning& tuning_;
};

}  // namespace

double schedule_at(const std::string& strategy, const Settings& s, double progress) {
  const double p = std::clamp(progress, 0.0, 1.0);
  if (strategy == "fixed_linear") return s.start + (s.max - s.start) * p;
  if (strategy == "fixed_root") return s.start + (s.max - s.start) * std::sqrt(p);
  if (strategy == "competence") return std::sqrt(s.start * s.start + (s.max * s.max - s.start * s.start) * p);
  if (strategy == "none") return 1.0;
  throw std::runtime_error("'" + strategy + "' is no schedule");
}

const std::vector<std::string>& pacing_names() {
  static const std::vector<std::string> names = {"dual_loop",  "inner",      "outer", "fixed_linear",
                                                 "fixed_root", "competence", "none"};
  return names;
}

bool is_built_in(const std::string& strategy) {
  const auto& names = pacing_names();
  return std::find(names.begin(), names.end(), strategy) != names.end();
}

std::unique_ptr<sz::Pacing> make_pacing(const std::string& name, const Settings& settings, const Tuning& tuning) {
  if (!is_built_in(name)) throw std::runtime_error("there is no pacing '" + name + "'");
  const LoopUse use = loops_of(name);
  if (use.schedule) return std::make_unique<Schedule>(name, settings);
  return std::make_unique<Loops>(use, settings, tuning);
}

}  // namespace curriculum
