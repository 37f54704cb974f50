// The keys of [plugins.curriculum_dual_loop], as numbers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace curriculum {

struct Settings {
  int64_t warmup_epochs = 3;
  std::string metric = "combined";
  std::vector<std::string> weights;  // "tfidf=0.5"
  std::string strategy = "dual_loop";
  double start = 0.3, min = 0.3, max = 0.7, final_release = 0.1;
  int64_t inner_every = 2000;
  double inner_low = 0.1, inner_high = 0.3, inner_raise = 0.05, inner_lower = 0.10;
  bool inner_window = false;  // the spread over the window, else of the batch
  double review_fraction = 0.2;
  double outer_factor = 0.1;
  int64_t smoothing_window = 3;
  int64_t buckets = 10;
  double stall_slope = 0.002;  // of accuracy, an epoch
  double adversarial_fraction = 0.1;
  double instability_backoff = 0.05;
};

// Which parts of the two loops a strategy uses. Schedules use neither and have no warm-up; a third party's pacing
// replaces what moves the threshold, and gets the samplers of both loops.
struct LoopUse {
  bool schedule = false, inner = false, outer = false;
};
inline LoopUse loops_of(const std::string& strategy) {
  if (strategy == "fixed_linear" || strategy == "fixed_root" || strategy == "competence" || strategy == "none") {
    return {true, false, false};
  }
  return {false, strategy != "outer", strategy != "inner"};
}

}  // namespace curriculum
