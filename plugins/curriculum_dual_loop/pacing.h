// The providers of sz.pacing/1 that come with the curriculum.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <sz/pacing.hpp>

#include "settings.h"

namespace curriculum {

// What the oscillation guard changes while the run goes on.
struct Tuning {
  double outer_factor = 0.1;
  int64_t window = 3;  // epochs
};

// A schedule moves the threshold when it is this far off, so that a run has tens of decisions and not one a step.
inline constexpr double kScheduleStep = 0.01;

// Threshold of a schedule after `progress` (0 to 1) of the time it has. fixed_linear: straight from start to max;
// fixed_root: with the root of progress; competence: sqrt(start^2 + (max^2 - start^2) progress), of Platanios et al.,
// "Competence-based curriculum learning for neural machine translation", NAACL 2019; none: 1.
double schedule_at(const std::string& strategy, const Settings& settings, double progress);

// "dual_loop", "inner", "outer", "fixed_linear", "fixed_root", "competence", "none".
const std::vector<std::string>& pacing_names();

bool is_built_in(const std::string& strategy);

// `settings` and `tuning` are read at each call, and outlive it. Errors: std::runtime_error for an unknown name.
//
// The loops: after every inner_every steps a spread (standard deviation of per-sample losses) below inner_low raises
// the threshold by the factor 1 + inner_raise, above inner_high lowers it by 1 - inner_lower; at an epoch's end it
// moves by outer_factor, in the direction of the mean slope of the buckets' validation accuracy. In warm-up neither
// acts.
std::unique_ptr<sz::Pacing> make_pacing(const std::string& name, const Settings& settings, const Tuning& tuning);

}  // namespace curriculum
