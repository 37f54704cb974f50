// Dynamic loss scaling as a state machine: what a step's global facts make of the scale, of clipping and of the run.
//
// The scheme of Micikevicius et al., "Mixed Precision Training" (2018), and of torch.amp.GradScaler, with hysteresis
// (Megatron-LM), a roll back to a stable state, and two watches on the gradient norm. Knows no tensor and no host:
// the plugin amp_o2 and sz/amp.hpp feed it. Decides from its arguments and its own state alone, so that all ranks
// that give it the same facts decide alike. Thread: one at a time.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sz::inline sdk {
namespace amp {

struct ScaleOptions {
  bool dynamic = true;           // false: initial_scale stays
  double initial_scale = 4096;
  int64_t growth_interval = 2000;  // good steps in a row, none of them taken again, before the scale grows
  double growth_factor = 2, backoff_factor = 0.5;
  double min_scale = 1, max_scale = 16777216;
  int64_t hysteresis = 3;        // bad attempts in a row before a roll back
  double max_grad_norm = 1.0;    // global norm; takes effect with the first roll back or the third explosion. 0: no
                                 // limit is known, so that an explosion stays a fault, however many there are
  bool clip_from_start = false;  // somebody else clips already: an explosion is no fault
  double explosion_factor = 10;  // times the running median of the norm
  int64_t max_rollbacks = 5;     // without getting any further
  bool restores = true;          // false: a roll back is only a skip, so that no step is taken back by it
  int64_t variance_window = 50;  // good steps
  double variance_sigma = 0.4;   // coefficient of variation of the norm
  double variance_floor = 256;   // the variance watch never goes below it
};

// Of one attempt, over all ranks and micro-batches.
struct ScaleFacts {
  int64_t step = 0;         // steps applied before it
  double grad_norm = 0;     // scale taken out; NaN when not finite
  int64_t non_finite = 0;   // gradient elements
  double loss = 0;
  int64_t low_entries = 0;  // gradient elements that were formed in 16 bits, where zeros are not to be expected
  int64_t low_zeros = 0;    // those of them that are exactly 0
};

enum class Action : uint8_t { kApply, kSkip, kRollBack, kAbort };
enum class Fault : uint8_t { kNone, kNonFinite, kExplosion };
enum class Change : uint8_t { kNone, kGrowth, kBackoff, kVariance };
enum class Vanishing : uint8_t { kNone, kZeroLoss, kFlushed };
enum class End : uint8_t { kNone, kMaxRollbacks, kMinScale };

// What the machine made of an attempt.
struct Ruling {
  Action action = Action::kApply;
  Fault fault = Fault::kNone;
  int64_t bad_in_a_row = 0;       // this one counted
  int64_t rollbacks = 0;          // in a row without getting any further, this one counted
  Change change = Change::kNone;  // of the scale
  double scale_from = 1, scale_to = 1;
  bool clip_switched_on = false;
  bool keep_data_position = false;  // roll back: neither scale nor clipping changed, so the same data would fail alike
  std::optional<double> sigma;      // the variance of the gradient norm has jumped to it
  double median = 0;                // of the norm, where an explosion was found
  Vanishing vanishing = Vanishing::kNone;  // newly seen
  End end = End::kNone;             // why it aborts
};

class LossScale {
 public:
  // Throws std::invalid_argument naming the option.
  explicit LossScale(const ScaleOptions& options) : options_(options) {
    now_.scale = options.initial_scale;
    check(options.min_scale >= 0x1p-100 && options.max_scale <= 0x1p100 && options.min_scale <= options.max_scale,
          "min_scale and max_scale must be in order and within 2^-100 and 2^100");
    check(now_.scale >= 0x1p-100 && now_.scale <= 0x1p100, "the initial scale must be within 2^-100 and 2^100");
    check(!options.dynamic || (now_.scale >= options.min_scale && now_.scale <= options.max_scale),
          "initial_scale must be within min_scale and max_scale");
    check(options.growth_factor >= 1 && std::isfinite(options.growth_factor), "growth_factor must be at least 1");
    check(options.backoff_factor > 0 && options.backoff_factor < 1, "backoff_factor must be between 0 and 1");
    check(options.growth_interval >= 1 && options.hysteresis >= 1 && options.variance_window >= 2,
          "growth_interval and hysteresis must be at least 1, variance_window at least 2");
    check(options.max_grad_norm >= 0 && options.explosion_factor > 1 && options.max_rollbacks >= 0,
          "max_grad_norm and max_rollbacks must be at least 0, explosion_factor above 1");
    check(options.variance_sigma > 0 && options.variance_floor > 0,
          "variance_sigma and variance_floor must be above 0");
  }

  double scale() const { return now_.scale; }
  bool clipping() const { return now_.clipping || options_.clip_from_start; }
  std::optional<double> clip_limit() const {
    return now_.clipping ? std::optional<double>(options_.max_grad_norm) : std::nullopt;
  }
  int64_t furthest() const { return now_.furthest; }  // most steps ever applied

  // Once an attempt. The scale is changed for the next one. Where others decide too, not_applied() and taken_back()
  // tell what became of it.
  Ruling judge(const ScaleFacts& facts) {
    before_ = now_;
    Ruling ruling;
    ruling.scale_from = ruling.scale_to = now_.scale;
    ruling.fault = fault_of(facts, ruling);
    if (ruling.fault == Fault::kExplosion && can_clip() && ++now_.explosions >= kExplosions &&
        now_.bad + 1 < options_.hysteresis) {
      // Scattered explosions: from the third on they are clipped instead.
      ruling.clip_switched_on = now_.clipping = true;
      ruling.fault = Fault::kNone;
    }
    if (ruling.fault == Fault::kNone) {
      good(facts, ruling);
    } else {
      bad(ruling);
    }
    ruling.scale_to = now_.scale;
    return ruling;
  }

  // The attempt judged last was ruled to be applied, and somebody else had it skipped: it is neither good nor bad, and
  // all is as before it.
  void not_applied() { now_ = before_; }

  // Somebody rolled the run back: the steps that are gone are no history. Those taken again don't count as further.
  void taken_back() {
    now_.bad = now_.growth = 0;
    forget_norms();
  }

  // One `name value...` a line; numbers are written so that they read back bit for bit.
  std::string save() const {
    std::string text;
    const auto line = [&text](const char* name, double value) {
      text += std::string(name) + " " + exact(value) + "\n";
    };
    line("scale", now_.scale);
    line("clipping", now_.clipping);
    line("bad", double(now_.bad));
    line("growth", double(now_.growth));
    line("explosions", double(now_.explosions));
    line("rollbacks", double(now_.rollbacks));
    line("furthest", double(now_.furthest));
    line("since_variance", double(now_.since_variance));
    line("vanishing", now_.vanishing);
    text += "norms";
    for (const double norm : now_.norms) text += " " + exact(norm);
    return text + "\n";
  }

  // Throws std::invalid_argument when the text isn't one of save()'s. A static scale stays what the options say.
  void load(const std::string& text) {
    std::map<std::string, std::vector<double>> values = parse(text);
    const auto number = [&](const char* name) {
      check(values[name].size() == 1 && std::isfinite(values[name][0]),
            "loss scale state: wrong or no " + std::string(name));
      return values[name][0];
    };
    const double scale = number("scale");
    check(scale >= 0x1p-100 && scale <= 0x1p100, "loss scale state: the scale is out of range");
    State loaded;
    loaded.scale = options_.dynamic ? std::clamp(scale, options_.min_scale, options_.max_scale) : now_.scale;
    loaded.clipping = number("clipping") != 0 && can_clip();
    loaded.bad = int64_t(number("bad"));
    loaded.growth = int64_t(number("growth"));
    loaded.explosions = int64_t(number("explosions"));
    loaded.rollbacks = int64_t(number("rollbacks"));
    loaded.furthest = int64_t(number("furthest"));
    loaded.since_variance = int64_t(number("since_variance"));
    loaded.vanishing = number("vanishing") != 0;
    loaded.norms.assign(values["norms"].begin(), values["norms"].end());
    now_ = std::move(loaded);
    bound_norms();
  }

  // Standard deviation over mean of norms [begin, end), the largest of every 25 left out: an isolated spike, such as
  // healthy runs have and clipping takes care of, is no change of the variance. 0 where the mean is.
  static double variation(const std::deque<double>& norms, int64_t begin, int64_t end) {
    std::vector<double> kept(norms.begin() + begin, norms.begin() + end);
    const int64_t count = end - begin - (end - begin) / kSpikes;
    std::nth_element(kept.begin(), kept.begin() + count - 1, kept.end());
    kept.resize(size_t(count));
    double sum = 0, squares = 0;
    for (const double norm : kept) sum += norm;
    const double mean = sum / double(count);
    for (const double norm : kept) squares += (norm - mean) * (norm - mean);
    return mean > 0 ? std::sqrt(squares / double(count)) / mean : 0.0;
  }

 private:
  static constexpr int64_t kExplosions = 3;     // scattered ones, before clipping goes on
  static constexpr int64_t kMedianMinimum = 10; // norms before a median means anything
  static constexpr int64_t kSpikes = 25;        // one norm in so many may be one

  struct State {
    double scale = 1;
    bool clipping = false;
    int64_t bad = 0, growth = 0, explosions = 0, rollbacks = 0;
    int64_t furthest = 0;
    int64_t since_variance = 0;  // good steps since the variance watch struck
    bool vanishing = false;      // the last good step vanished
    std::deque<double> norms;    // of the last good steps, at most two windows
  };

  static void check(bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
  }
  static std::string exact(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }
  static std::map<std::string, std::vector<double>> parse(const std::string& text) {
    std::map<std::string, std::vector<double>> values;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name, word;
      words >> name;
      while (words >> word) values[name].push_back(std::strtod(word.c_str(), nullptr));
    }
    return values;
  }

  Fault fault_of(const ScaleFacts& facts, Ruling& ruling) const {
    if (facts.non_finite > 0 || !std::isfinite(facts.grad_norm) || !std::isfinite(facts.loss)) return Fault::kNonFinite;
    if (clipping() || int64_t(now_.norms.size()) < kMedianMinimum) return Fault::kNone;
    const double median = median_norm();
    if (!(median > 0 && facts.grad_norm > options_.explosion_factor * median)) return Fault::kNone;
    ruling.median = median;
    return Fault::kExplosion;
  }

  double median_norm() const {
    const int64_t count = std::min<int64_t>(options_.variance_window, int64_t(now_.norms.size()));
    std::vector<double> last(now_.norms.end() - count, now_.norms.end());
    std::nth_element(last.begin(), last.begin() + count / 2, last.end());
    return last[size_t(count / 2)];
  }

  void good(const ScaleFacts& facts, Ruling& ruling) {
    now_.bad = 0;
    const bool further = facts.step + 1 > now_.furthest;
    if (further) {
      now_.furthest = facts.step + 1;
      now_.rollbacks = 0;
    }
    now_.norms.push_back(facts.grad_norm);
    bound_norms();
    watch_vanishing(facts, ruling);
    if (watch_variance(ruling)) return;
    // Steps taken again after a roll back don't count: the scale would be back where it failed, until the run ends.
    if (!further || ++now_.growth < options_.growth_interval) return;
    now_.growth = 0;
    if (options_.dynamic && now_.scale < options_.max_scale) {
      now_.scale = std::min(options_.max_scale, now_.scale * options_.growth_factor);
      ruling.change = Change::kGrowth;
    }
  }

  void watch_vanishing(const ScaleFacts& facts, Ruling& ruling) {
    const Vanishing seen = facts.loss == 0                              ? Vanishing::kZeroLoss
                           : 2 * facts.low_zeros > facts.low_entries ? Vanishing::kFlushed
                                                                        : Vanishing::kNone;
    if (seen != Vanishing::kNone && !now_.vanishing) ruling.vanishing = seen;
    now_.vanishing = seen != Vanishing::kNone;
  }

  // True where the window has jumped.
  bool watch_variance(Ruling& ruling) {
    const int64_t window = options_.variance_window;
    ++now_.since_variance;
    if (int64_t(now_.norms.size()) < 2 * window || now_.since_variance < window) return false;
    const double now = variation(now_.norms, window, 2 * window), before = variation(now_.norms, 0, window);
    if (!(now > options_.variance_sigma && now > 2 * before)) return false;
    now_.since_variance = 0;
    ruling.sigma = now;
    now_.growth = 0;
    const double floor = std::max(options_.variance_floor, options_.min_scale);
    if (options_.dynamic && now_.scale > floor) {
      now_.scale = std::max(floor, now_.scale * options_.backoff_factor);
      ruling.change = Change::kVariance;
    }
    return true;
  }

  void bad(Ruling& ruling) {
    now_.growth = 0;
    ruling.bad_in_a_row = ++now_.bad;
    ruling.rollbacks = now_.rollbacks;
    ruling.action = Action::kSkip;
    if (now_.bad < options_.hysteresis) return;
    if (now_.rollbacks >= options_.max_rollbacks) {
      return end(ruling, End::kMaxRollbacks);
    }
    if (options_.dynamic && now_.scale <= options_.min_scale && ruling.fault == Fault::kNonFinite) {
      return end(ruling, End::kMinScale);
    }
    roll_back(ruling);
  }

  static void end(Ruling& ruling, End why) {
    ruling.action = Action::kAbort;
    ruling.end = why;
  }

  void roll_back(Ruling& ruling) {
    ruling.action = Action::kRollBack;
    now_.bad = 0;
    ruling.rollbacks = ++now_.rollbacks;
    if (options_.dynamic && now_.scale > options_.min_scale) {
      now_.scale = std::max(options_.min_scale, now_.scale * options_.backoff_factor);
      ruling.change = Change::kBackoff;
    }
    ruling.clip_switched_on = can_clip() && !clipping();
    now_.clipping = now_.clipping || can_clip();
    ruling.keep_data_position = ruling.change == Change::kNone && !ruling.clip_switched_on;
    if (options_.restores) forget_norms();  // those of the steps taken back are no history
  }

  bool can_clip() const { return options_.max_grad_norm > 0; }

  void forget_norms() {
    now_.norms.clear();
    now_.since_variance = 0;
  }

  void bound_norms() {
    while (int64_t(now_.norms.size()) > 2 * options_.variance_window) now_.norms.pop_front();
  }

  ScaleOptions options_;
  State now_, before_;  // before_: the attempt judged last
};

}  // namespace amp
}  // namespace sz::inline sdk
