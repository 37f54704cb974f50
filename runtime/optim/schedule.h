// The service sz.schedule/1: progress -> learning rate.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace sz {

class Schedule {
 public:
  virtual ~Schedule() = default;
  // The learning rate of applied step `step`, 1 for the first; steps past the last give the last one's.
  virtual double lr(int64_t step) const = 0;
  // What the run should know, such as a warm-up that was cut short; empty when nothing.
  virtual std::string note() const { return {}; }
};

struct ScheduleParams {
  std::string decay_type = "constant";  // "cosine" | "linear" | "constant"
  double lr = 0;                        // the peak
  double min_lr = 0;                    // where decay ends; not used by "constant" except in the tail
  int64_t total_steps = 0;              // applied steps of the whole run
  int64_t warmup_steps = 0;             // used when > 0
  double warmup_epochs = 0;             // else this many epochs, of steps_per_epoch steps each
  int64_t steps_per_epoch = 0;
  int64_t tail_steps = 0;               // the last steps, held at min_lr
};

// With W = warm-up, D = total - W - tail (steps of decay), s = 1 .. total:
//   s <= W            lr * s / W                                 (step W is the first at the full rate)
//   W < s <= W + D    q = (s - W) / D:  cosine    min_lr + (lr - min_lr) (1 + cos(pi q)) / 2
//                                       linear    min_lr + (lr - min_lr) (1 - q)
//                                       constant  lr
//   s > W + D         min_lr if there is a tail
// so decay reaches min_lr at its last step, q = 1. Cosine: Loshchilov, Hutter, "SGDR", ICLR 2017.
// A warm-up longer than total_steps is cut to it, a tail to what the warm-up leaves; note() says so.
// Throws Error(kUsage) for an unknown decay_type (the message lists them), negative numbers or min_lr > lr.
std::unique_ptr<Schedule> make_schedule(const ScheduleParams& params);

}  // namespace sz
