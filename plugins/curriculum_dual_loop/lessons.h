// The curriculum itself: from what the training shows to the mixture that plans are made of. It knows neither host nor
// files. All ranks feed it the same facts and so come to the same decisions.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loss_book.h"
#include "loss_spread.h"
#include "notes.h"
#include "pacing.h"
#include "pool.h"
#include "settings.h"
#include "validation_history.h"

namespace curriculum {

// An applied step.
struct StepSeen {
  int64_t step = 0, attempt = 0, epoch = 0;
  int64_t total_steps = 0;      // 0: not known
  int64_t steps_per_epoch = 1;
  std::span<const int64_t> samples;
  std::span<const double> losses;  // mean over each sample's tokens; NaN: none of its labels count
  std::span<const Kind> kinds = {};  // what each was drawn as; empty: all by the threshold
};

class Lessons {
 public:
  struct Data {
    std::vector<double> difficulty;  // of the training samples, 0 to 1
    std::vector<int32_t> languages;  // likewise
    int64_t global_batch = 1;
    uint64_t seed = 0;
  };
  // Asks the pacing in charge: threshold and cause (empty: it doesn't move).
  using Pace = std::function<sz::Pacing::Move(const sz_pacing_signals&)>;

  // `tuning` is what the built-in pacings read; both are borrowed.
  Lessons(const Settings& settings, Tuning& tuning, Data data, Pace pace);

  const Pool& pool() const { return pool_; }
  const Mixture& mixture() const { return mixture_; }
  const LossSpread& batch() const { return batch_; }
  const LossSpread& window() const { return window_; }

  void begin();  // once, before the first step of a run that is not resumed
  void step(const StepSeen& seen);
  void validated(const Validation& validation) { validation_ = validation; }  // the latest
  void epoch_end(int64_t step, int64_t attempt, int64_t epoch);
  void instability(const std::string& from, const Cause& details = {});  // the event gradient_instability

  // What was decided since the last call, and whether plans made ahead are out of date.
  std::vector<Note> take_notes() { return std::exchange(notes_, {}); }
  bool take_changed() { return std::exchange(changed_, false); }

  std::string save() const;
  void load(std::string_view bytes);  // Errors: std::runtime_error

 private:
  bool warming_up(int64_t step, int64_t steps_per_epoch) const;
  bool release(double progress);
  void ramp(const StepSeen& seen);
  void ask(sz_pacing_signals& signals);
  double no_lower(double wish, const std::string& cause, const std::string& cause_zh);
  void inner_boundary();
  void review(bool wanted, double spread);
  void stalls(const std::vector<double>& slopes);
  void guard_oscillation();
  void move(double threshold, const std::string& cause, const std::string& cause_zh, double cap,
            std::vector<std::pair<std::string, double>> fields = {});
  double spread_signal() const { return (settings_.inner_window ? window_ : batch_).deviation(); }
  sz_pacing_signals signals(int64_t step, int64_t attempt, int64_t epoch) const;

  const Settings& settings_;
  Tuning& tuning_;
  LoopUse use_;
  int64_t global_batch_;
  uint64_t seed_;
  Pool pool_;
  Pace pace_;

  // All below is state.
  Mixture mixture_;
  LossBook book_;
  LossSpread batch_, window_;
  ValidationHistory history_;
  std::optional<Validation> validation_;
  bool warm_ = false, released_ = false;  // the warm-up is over; all samples are released
  bool floored_ = false;                  // the last wish was below the floor
  double backoff_ = 0;                    // taken off a ramp or schedule by instabilities
  double progress_ = 0;

  std::vector<Note> notes_;
  bool changed_ = false;
};

}  // namespace curriculum
