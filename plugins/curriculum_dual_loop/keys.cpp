#include "keys.h"

#include <sz/error.hpp>

namespace curriculum {
namespace {

using Key = sz::Key;

Key whole(const char* name, const char* value, double min, double max, const char* help, const char* unit = "") {
  return {.name = name, .type = SZ_KEY_INT, .default_toml = value, .help = help, .unit = unit, .min = min, .max = max};
}
Key real(const char* name, const char* value, double min, double max, const char* help) {
  return {.name = name, .type = SZ_KEY_FLOAT, .default_toml = value, .help = help, .min = min, .max = max};
}
Key text(const char* name, const char* value, const char* help) {
  return {.name = name, .type = SZ_KEY_STRING, .default_toml = value, .help = help};
}

void require(bool holds, const char* message) {
  if (!holds) throw sz::Error(SZ_USAGE, std::string("plugins.curriculum_dual_loop: ") + message);
}

void check_settings(const Settings& s) {
  require(s.start <= s.max, "start_complexity is above max_complexity");
  require(s.inner_low <= s.inner_high, "inner_low is above inner_high");
  require(s.review_fraction + s.adversarial_fraction < 1,
          "review_fraction and adversarial_fraction leave nothing for the samples of the lesson");
}

}  // namespace

sz::Descriptor with_keys(sz::Descriptor&& d) {
  Key signal = text("inner_signal", "\"batch\"",
                    "losses whose spread the inner loop looks at: the last batch's, or the window's");
  signal.choices = {"batch", "window"};
  return std::move(d)
      .key(
          whole("warmup_epochs", "3", 0, 1e6, "the threshold rises linearly, the loops record but don't act", "epochs"))
      .key(text("difficulty_metric", "\"tfidf\"", "a provider of sz.scorer/1, or combined: all that are loaded"))
      .key(
          {.name = "weights",
           .type = SZ_KEY_STRING_LIST,
           .default_toml = "[]",
           .help =
               "of combined, as [\"tfidf=0.5\", \"syntax=0.5\"]; those not named have none, an empty list means equal"})
      .key(text(
          "adjustment_strategy", "\"dual_loop\"",
          "dual_loop, inner, outer, fixed_linear, fixed_root, competence, none, or another provider of sz.pacing/1"))
      .key(real("start_complexity", "0.3", 0, 1, "threshold at the start: the easiest share of each language"))
      .key(real("min_complexity", "0.3", 0, 1, "the loops lower the threshold no further"))
      .key(real("max_complexity", "0.7", 0.001, 1, "highest threshold before the final release"))
      .key(real("final_release", "0.1", 0, 1, "share of the run, at its end, over all samples"))
      .key(whole("inner_every", "2000", 1, 1e12, "steps between the inner loop's looks", "steps"))
      .key(real("inner_low", "0.1", 0, 1e6, "spread of losses below which the threshold rises"))
      .key(real("inner_high", "0.3", 0, 1e6, "spread of losses above which it falls and review samples come in"))
      .key(real("inner_raise", "0.05", 0, 10, "share that the threshold rises by"))
      .key(real("inner_lower", "0.10", 0, 1, "share that it falls by"))
      .key(std::move(signal))
      .key(real("review_fraction", "0.2", 0, 0.99, "share of review samples while they come in"))
      .key(real("outer_factor", "0.1", 0, 1, "what the outer loop moves the threshold by"))
      .key(whole("smoothing_window", "3", 2, 32, "epochs that the outer loop's slopes are taken over", "epochs"))
      .key(whole("buckets", "10", 1, 1000, "difficulty buckets of the validation samples"))
      .key(real("stall_slope", "0.002", -1, 1, "a bucket whose accuracy grows by less an epoch stalls"))
      .key(real("adversarial_fraction", "0.1", 0, 0.99, "share of adversarial samples while a bucket stalls"))
      .key(real("instability_backoff", "0.05", 0, 1, "what the event gradient_instability takes off the threshold"));
}

Settings read_settings(const sz::Config& c) {
  Settings s;
  s.warmup_epochs = c.get_int("warmup_epochs");
  s.metric = c.get_string("difficulty_metric");
  s.weights = c.get_strings("weights");
  s.strategy = c.get_string("adjustment_strategy");
  s.start = c.get_float("start_complexity");
  s.min = c.get_float("min_complexity");
  s.max = c.get_float("max_complexity");
  s.final_release = c.get_float("final_release");
  s.inner_every = c.get_int("inner_every");
  s.inner_low = c.get_float("inner_low");
  s.inner_high = c.get_float("inner_high");
  s.inner_raise = c.get_float("inner_raise");
  s.inner_lower = c.get_float("inner_lower");
  s.inner_window = c.get_string("inner_signal") == "window";
  s.review_fraction = c.get_float("review_fraction");
  s.outer_factor = c.get_float("outer_factor");
  s.smoothing_window = c.get_int("smoothing_window");
  s.buckets = c.get_int("buckets");
  s.stall_slope = c.get_float("stall_slope");
  s.adversarial_fraction = c.get_float("adversarial_fraction");
  s.instability_backoff = c.get_float("instability_backoff");
  check_settings(s);
  return s;
}

namespace {

struct Reach {
  int64_t known = 0;  // 0: not known, and so nothing to say
  int64_t needed = 0;
};

void add(Warning& warning, const std::string& loop, const std::string& loop_zh, const Reach& reach,
         const std::string& unit, const std::string& unit_zh) {
  if (reach.known == 0 || reach.known >= reach.needed) return;
  const std::string known = std::to_string(reach.known), needed = std::to_string(reach.needed);
  warning.en += (warning.en.empty() ? "" : "; ") + ("the run ends after " + known + " " + unit + ", before the " +
                                                    loop + " can act for the first time, which is after " + needed);
  warning.zh += (warning.zh.empty() ? "" : "；") + ("训练在第 " + known + " " + unit_zh + "结束，而" + loop_zh + "最早在第 " +
                                                   needed + " " + unit_zh + "才能生效");
}

}  // namespace

// The loops act from the end of the warm-up to the final release; the inner one at multiples of inner_every, the outer
// one once it has smoothing_window epochs behind it.
Warning loops_cannot_act(const Settings& s, const RunLength& run) {
  Warning warning;
  const LoopUse use = loops_of(s.strategy);
  const int64_t outer_epochs = std::max(s.warmup_epochs, s.smoothing_window);
  if (run.total_steps > 0 && run.steps_per_epoch > 0) {
    const auto acting = int64_t(double(run.total_steps) * (1 - s.final_release));
    const int64_t warm = std::max<int64_t>(1, s.warmup_epochs * run.steps_per_epoch);
    const int64_t inner = (warm + s.inner_every - 1) / s.inner_every * s.inner_every;
    if (use.inner)
      add(warning, "inner loop", "内环", {acting, inner}, "steps (the final release left out)",
          "步（不含最终放开阶段）");
    if (use.outer) {
      add(warning, "outer loop", "外环", {acting, outer_epochs * run.steps_per_epoch},
          "steps (the final release left out)", "步（不含最终放开阶段）");
    }
    return warning;
  }
  if (use.inner) add(warning, "inner loop", "内环", {run.total_steps, s.inner_every}, "steps", "步");
  if (use.outer || use.inner) add(warning, "loops", "双环", {run.epochs, outer_epochs + 1}, "epochs", "轮");
  return warning;
}

}  // namespace curriculum
