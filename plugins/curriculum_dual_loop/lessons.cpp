#include "lessons.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "number_text.h"
#include "random.h"
#include "ranks.h"

namespace curriculum {
namespace {

constexpr double kMasteredShare = 0.2, kHardestShare = 0.1;  // of a language's samples
constexpr double kSwingLimit = 0.15;

Mixture first_mixture(const Settings& settings) {
  Mixture mixture;
  mixture.threshold =
      loops_of(settings.strategy).schedule ? schedule_at(settings.strategy, settings, 0) : settings.start;
  return mixture;
}

}  // namespace

Lessons::Lessons(const Settings& settings, Tuning& tuning, Data data, Pace pace)
    : settings_(settings),
      tuning_(tuning),
      use_(loops_of(settings.strategy)),
      global_batch_(data.global_batch),
      seed_(data.seed),
      pool_(std::move(data.difficulty), data.seed),
      pace_(std::move(pace)),
      mixture_(first_mixture(settings)),
      book_(std::move(data.languages)),
      history_(settings.buckets) {
  tuning_ = {settings.outer_factor, settings.smoothing_window};
  warm_ = use_.schedule || settings.warmup_epochs == 0;
  const double wide = pool_.widened(mixture_.threshold, global_batch_);
  if (wide > mixture_.threshold) {
    notes_.push_back(threshold_note(mixture_.threshold, wide, "too few samples for a global batch", "可用样本不足一个全局批次"));
    mixture_.threshold = wide;
  }
}

void Lessons::begin() {
  if (settings_.strategy == "none") return;
  const int64_t hidden = pool_.size() - pool_.eligible(settings_.max);
  if (hidden > 0) notes_.push_back(hidden_note(settings_.max, hidden, pool_.size(), settings_.final_release));
}

bool Lessons::warming_up(int64_t step, int64_t steps_per_epoch) const {
  return !use_.schedule && step < settings_.warmup_epochs * steps_per_epoch;
}

void Lessons::step(const StepSeen& seen) {
  batch_ = {};
  for (size_t i = 0; i < seen.samples.size(); ++i) {
    if (!std::isfinite(seen.losses[i])) continue;
    book_.record(seen.samples[i], seen.losses[i]);
    // Review samples are those of lowest loss, adversarial ones of highest: counted, they would keep up the very spread
    // that brought them in.
    if (!seen.kinds.empty() && seen.kinds[i] != Kind::kPool) continue;
    batch_.add(seen.losses[i]);
    window_.add(seen.losses[i]);
  }
  progress_ = seen.total_steps > 0 ? std::min(1.0, double(seen.step) / double(seen.total_steps)) : 0;
  sz_pacing_signals now = signals(seen.step, seen.attempt, seen.epoch);
  now.warming_up = warming_up(seen.step, seen.steps_per_epoch);
  if (now.warming_up) {
    pace_(now);  // it records
    if (!release(progress_)) ramp(seen);
  } else if (!release(progress_)) {
    if (!std::exchange(warm_, true)) {
      move(settings_.max - backoff_, "the warm-up ends", "热身阶段结束", settings_.max);
      notes_.push_back(warmup_over_note(mixture_.threshold));
    }
    ask(now);
  }
  if (seen.step % settings_.inner_every == 0) inner_boundary();
}

// The last share of the run is over all samples; after that only an instability moves the threshold.
bool Lessons::release(double progress) {
  if (released_) return true;
  if (settings_.strategy == "none" || settings_.final_release <= 0 || progress < 1 - settings_.final_release - 1e-12) {
    return false;
  }
  released_ = true;
  move(1, "the last " + percent(settings_.final_release) + " of the run are over all samples",
       "训练最后 " + percent(settings_.final_release) + " 使用全部样本", 1);
  return true;
}

void Lessons::ramp(const StepSeen& seen) {
  const double share = double(seen.step) / double(settings_.warmup_epochs * seen.steps_per_epoch);
  const double wanted = settings_.start + (settings_.max - settings_.start) * share - backoff_;
  if (wanted - mixture_.threshold < kScheduleStep) return;
  move(wanted, "warm-up: " + percent(share) + " of it done", "热身阶段已完成 " + percent(share), settings_.max);
}

void Lessons::ask(sz_pacing_signals& now) {
  now.threshold = mixture_.threshold;
  if (use_.schedule) now.threshold += backoff_;  // a schedule is told where it would be without instabilities
  const sz::Pacing::Move wish = pace_(now);
  if (!std::isfinite(wish.threshold)) throw std::runtime_error("the pacing gives a threshold that isn't a number");
  const double cap = settings_.strategy == "none" ? 1 : settings_.max;
  if (wish.threshold == now.threshold) return;
  const std::string cause = wish.cause.empty() ? "pacing " + settings_.strategy : wish.cause;
  std::vector<std::pair<std::string, double>> fields;
  if (now.bucket_count == 0 && use_.inner) {
    const LossSpread& spread = settings_.inner_window ? window_ : batch_;
    fields = {
        {"spread", spread.deviation()}, {"spread_error", spread.error()}, {"spread_samples", double(spread.count())}};
  }
  const std::string cause_zh = in_chinese(cause);
  double to = wish.threshold - (use_.schedule ? backoff_ : 0);
  if (is_built_in(settings_.strategy)) to = no_lower(to, cause, cause_zh);
  move(to, cause, cause_zh, cap, std::move(fields));
}

// Data whose losses spread by more than inner_high however easy they are would else be lowered for good, down to a
// batch's worth of samples. Says so each time the threshold comes to rest there.
double Lessons::no_lower(double wish, const std::string& cause, const std::string& cause_zh) {
  const double floor = std::min({settings_.min, settings_.start, mixture_.threshold});
  const bool below = wish < floor - 1e-12;
  if (below && !floored_) notes_.push_back(floor_note(floor, wish, cause, cause_zh));
  floored_ = below;
  return std::max(wish, floor);
}

void Lessons::move(double threshold, const std::string& cause, const std::string& cause_zh, double cap,
                   std::vector<std::pair<std::string, double>> fields) {
  const double from = mixture_.threshold;
  double to = pool_.widened(std::clamp(threshold, 0.0, cap), global_batch_);
  if (to == from) return;
  Note note = threshold_note(from, to, cause, cause_zh);
  note.fields = std::move(fields);
  note.fields.emplace_back("eligible", double(pool_.eligible(to)));
  if (to > std::clamp(threshold, 0.0, cap)) {
    note.cause += "; widened, since too few samples lie below " + number(threshold);
    note.en += " (widened: too few samples lie below)";
    note.zh += "（已放宽：更低处样本不足一个全局批次）";
  }
  notes_.push_back(std::move(note));
  mixture_.threshold = to;
  changed_ = true;
  if (to > from) return;
  const auto above = [&](int32_t sample) { return !pool_.is_eligible(sample, to); };
  std::erase_if(mixture_.review, above);
  std::erase_if(mixture_.adversarial, above);
}

void Lessons::inner_boundary() {
  const bool acts = use_.inner && warm_ && !released_;
  const double spread = spread_signal();
  review(acts && spread > settings_.inner_high, spread);
  window_ = {};
}

void Lessons::review(bool wanted, double spread) {
  const bool was = !mixture_.review.empty();
  std::vector<int32_t> samples;
  if (wanted && settings_.review_fraction > 0) {
    samples = book_.mastered(kMasteredShare, [&](int64_t s) { return pool_.is_eligible(s, mixture_.threshold); });
    shuffle(samples, mix(seed_, mix(samples.size(), 1)));
  }
  if (samples.empty() && !was) return;
  const double share = samples.empty() ? 0 : settings_.review_fraction;
  notes_.push_back(review_note(mixture_.review_share, share, int64_t(samples.size()), spread, settings_.inner_high));
  mixture_.review = std::move(samples);
  mixture_.review_share = share;
  changed_ = true;
}

void Lessons::epoch_end(int64_t step, int64_t attempt, int64_t epoch) {
  if (!validation_) return;
  history_.push(*std::exchange(validation_, std::nullopt));
  const std::vector<double> slopes = history_.slopes(tuning_.window);
  sz_pacing_signals now = signals(step, attempt, epoch);
  now.warming_up = !warm_;
  now.bucket_count = uint64_t(settings_.buckets);
  now.bucket_loss = history_.last().loss.data();
  now.bucket_accuracy = history_.last().accuracy.data();
  now.bucket_slope = slopes.data();
  if (!warm_ || released_) {
    now.warming_up = 1;
    pace_(now);
    return;
  }
  if (use_.outer) {
    guard_oscillation();
    stalls(slopes);
  }
  ask(now);
}

void Lessons::guard_oscillation() {
  const double swing = history_.swing(tuning_.window);
  if (!(swing > kSwingLimit)) return;
  const Tuning next{tuning_.outer_factor / 2, tuning_.window + 2};
  notes_.push_back(oscillation_note(swing, tuning_.outer_factor, next.outer_factor, tuning_.window, next.window));
  tuning_ = next;
}

// Buckets that stall, as far as they are trained on.
void Lessons::stalls(const std::vector<double>& slopes) {
  std::vector<int> stalled;
  for (int b = 0; b < int(slopes.size()); ++b) {
    const bool trained = double(b) / double(slopes.size()) < mixture_.threshold - 1e-9;
    if (trained && slopes[size_t(b)] < settings_.stall_slope) stalled.push_back(b);
  }
  std::vector<int32_t> samples;
  if (settings_.adversarial_fraction > 0) {
    for (const int b : stalled) {
      const auto in_bucket = [&](int64_t s) {
        return pool_.is_eligible(s, mixture_.threshold) && bucket_of(pool_.difficulty(s), int(settings_.buckets)) == b;
      };
      const auto hardest = book_.hardest(kHardestShare, in_bucket);
      samples.insert(samples.end(), hardest.begin(), hardest.end());
    }
  }
  const bool was = !mixture_.adversarial.empty();
  if (samples.empty() && !was) return;
  shuffle(samples, mix(seed_, mix(samples.size(), 2)));
  notes_.push_back(adversarial_note(samples.empty() ? std::vector<int>{} : stalled, settings_.adversarial_fraction,
                                    int64_t(samples.size())));
  mixture_.adversarial = std::move(samples);
  mixture_.adversarial_share = mixture_.adversarial.empty() ? 0 : settings_.adversarial_fraction;
  changed_ = true;
}

void Lessons::instability(const std::string& from, const Cause& details) {
  if (settings_.strategy == "none") return;
  const double before = mixture_.threshold;
  const bool more = !details.en.empty();
  const std::string cause = "gradient_instability, raised by " + from + (more ? ": " : "") + details.en;
  const std::string cause_zh = "梯度不稳定事件（来自 " + from + "）" + (more ? "：" : "") + details.zh;
  move(before - settings_.instability_backoff, cause, cause_zh, 1);
  backoff_ += std::max(0.0, before - mixture_.threshold);
}

sz_pacing_signals Lessons::signals(int64_t step, int64_t attempt, int64_t epoch) const {
  sz_pacing_signals signals{};
  signals.struct_size = sizeof signals;
  signals.step = step;
  signals.attempt = attempt;
  signals.epoch = epoch;
  signals.progress = progress_;
  signals.threshold = mixture_.threshold;
  signals.batch_loss_std = batch_.deviation();
  signals.window_loss_std = window_.deviation();
  signals.batch_samples = batch_.count();
  return signals;
}

std::string Lessons::save() const {
  Writer out;
  out.put(mixture_.threshold);
  out.put(mixture_.review_share);
  out.put(mixture_.adversarial_share);
  out.put_list(mixture_.review);
  out.put_list(mixture_.adversarial);
  out.put(batch_);
  out.put(window_);
  out.put(tuning_);
  out.put(backoff_);
  out.put(progress_);
  out.put(uint8_t(warm_));
  out.put(uint8_t(released_));
  out.put(uint8_t(floored_));
  history_.save(out);
  ValidationHistory latest(settings_.buckets);
  if (validation_) latest.push(*validation_);
  latest.save(out);
  book_.save(out);
  return out.take();
}

void Lessons::load(std::string_view bytes) {
  Reader in(bytes);
  mixture_.threshold = in.get<double>();
  mixture_.review_share = in.get<double>();
  mixture_.adversarial_share = in.get<double>();
  mixture_.review = in.get_list<int32_t>();
  mixture_.adversarial = in.get_list<int32_t>();
  batch_ = in.get<LossSpread>();
  window_ = in.get<LossSpread>();
  tuning_ = in.get<Tuning>();
  backoff_ = in.get<double>();
  progress_ = in.get<double>();
  warm_ = in.get<uint8_t>() != 0;
  released_ = in.get<uint8_t>() != 0;
  floored_ = in.get<uint8_t>() != 0;
  history_.load(in);
  ValidationHistory latest(settings_.buckets);
  latest.load(in);
  validation_ = latest.epochs() > 0 ? std::optional(latest.last()) : std::nullopt;
  book_.load(in);
  in.end();
  notes_.clear();
  changed_ = false;
}

}  // namespace curriculum
