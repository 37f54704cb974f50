#include "optim/schedule.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace sz {

namespace {

enum class Decay { kCosine, kLinear, kConstant };

Decay decay_of(const std::string& type) {
  if (type == "cosine") return Decay::kCosine;
  if (type == "linear") return Decay::kLinear;
  if (type == "constant") return Decay::kConstant;
  throw Error(Exit::kUsage,
              "optimizer.schedule.decay_type = \"" + type + "\": expected one of cosine, linear, constant");
}

void check(const ScheduleParams& p) {
  const auto wrong = [](const std::string& key, const std::string& expected) {
    throw Error(Exit::kUsage, "optimizer." + key + " must be " + expected);
  };
  if (!(std::isfinite(p.lr) && p.lr >= 0)) wrong("lr", "a number of at least 0");
  if (!(p.min_lr >= 0)) wrong("schedule.min_lr", "at least 0");
  const bool uses_min = p.decay_type != "constant" || p.tail_steps > 0;
  if (uses_min && p.min_lr > p.lr) wrong("schedule.min_lr", "at most optimizer.lr, which is " + std::to_string(p.lr));
  if (p.warmup_steps < 0) wrong("schedule.warmup_steps", "at least 0");
  if (!(p.warmup_epochs >= 0 && std::isfinite(p.warmup_epochs))) wrong("schedule.warmup_epochs", "at least 0");
  if (p.tail_steps < 0) wrong("schedule.tail_steps", "at least 0");
  SZ_ASSERT(p.total_steps >= 0 && p.steps_per_epoch >= 0);
}

class WarmupDecaySchedule final : public Schedule {
 public:
  explicit WarmupDecaySchedule(const ScheduleParams& p)
      : decay_(decay_of(p.decay_type)), lr_(p.lr), min_lr_(p.min_lr), total_(p.total_steps) {
    int64_t warmup = p.warmup_steps;
    if (warmup == 0) warmup = std::llround(p.warmup_epochs * double(p.steps_per_epoch));
    warmup_ = std::min(warmup, total_);
    tail_ = std::min(p.tail_steps, total_ - warmup_);
    if (warmup_ < warmup) {
      note_ = "the warm-up of " + std::to_string(warmup) + " steps is longer than the run and was cut to its " +
              std::to_string(total_) + " steps";
    }
    if (tail_ < p.tail_steps) {
      note_ += std::string(note_.empty() ? "" : "; ") + "the tail of " + std::to_string(p.tail_steps) +
               " steps was cut to the " + std::to_string(tail_) + " after the warm-up";
    }
  }

  double lr(int64_t step) const override {
    SZ_ASSERT(step >= 1);
    const int64_t s = std::min(step, std::max<int64_t>(total_, 1));
    if (s <= warmup_) return lr_ * double(s) / double(warmup_);
    if (s > total_ - tail_) return total_ == 0 ? lr_ : min_lr_;
    return decayed(double(s - warmup_) / double(total_ - warmup_ - tail_));
  }

  std::string note() const override { return note_; }

 private:
  double decayed(double q) const {
    constexpr double kPi = 3.14159265358979323846;
    switch (decay_) {
      case Decay::kCosine: return min_lr_ + (lr_ - min_lr_) * (1 + std::cos(kPi * q)) / 2;
      case Decay::kLinear: return min_lr_ + (lr_ - min_lr_) * (1 - q);
      case Decay::kConstant: break;
    }
    return lr_;
  }

  Decay decay_;
  double lr_, min_lr_;
  int64_t total_, warmup_ = 0, tail_ = 0;
  std::string note_;
};

}  // namespace

std::unique_ptr<Schedule> make_schedule(const ScheduleParams& params) {
  check(params);
  return std::make_unique<WarmupDecaySchedule>(params);
}

}  // namespace sz
