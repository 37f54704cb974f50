// The table [plugins.curriculum_dual_loop]: its keys in the descriptor, and their values as Settings.
#pragma once
#include <string>

#include <sz/config.hpp>
#include <sz/descriptor.hpp>

#include "settings.h"

namespace curriculum {

sz::Descriptor with_keys(sz::Descriptor&& descriptor);
// Errors: sz::Error(SZ_USAGE) naming keys that contradict each other.
Settings read_settings(const sz::Config& config);

// What `szlaunch check` says of a run that ends before the loops can act; empty: nothing. 0: not known.
struct RunLength {
  int64_t steps_per_epoch = 0, total_steps = 0, epochs = 0;
};
struct Warning {
  std::string en, zh;
};
Warning loops_cannot_act(const Settings& settings, const RunLength& run);

}  // namespace curriculum
