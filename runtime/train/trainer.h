// The training loop. It reads like the list of hooks in train/hooks.h.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/checkpoint.h"
#include "train/attempt.h"
#include "train/context.h"
#include "train/evaluator.h"
#include "train/plan_feed.h"
#include "train/reporter.h"
#include "train/run_checkpoint.h"
#include "train/segment_runner.h"

namespace sz {

struct RunOutcome {
  RunState state;
  EvalResult eval;      // the last one; tokens = 0 where there was none
  int stop_signal = 0;  // SIGTERM or SIGINT: the run was asked to stop, and its state is saved
};

// Thread: main, of each rank; all ranks make the same calls.
class Trainer {
 public:
  Trainer(TrainOptions options, TrainParts parts);

  // Before run(): a schedule made for total_steps() and plans_per_epoch(). Borrowed.
  void set_schedule(Schedule* schedule) { parts_.schedule = schedule; }

  // Before run() or in its `ready`: where attempts and evaluations are written. Borrowed; either may be null.
  void set_journals(MetricsLog* metrics, TensorBoardLog* tensorboard);

  // From RUN_BEGIN to RUN_END. `resume`: a checkpoint to go on from, or null. `ready`: called once, between
  // STATE_LOADED and the first epoch, when all is built and loaded; what refuses a run has refused it by then. Errors
  // end in RUN_FAILED and are rethrown: Error(kDiverged) for an abort verdict, and whatever the parts throw.
  RunOutcome run(const CheckpointReader* resume, const std::function<void()>& ready = {});

  // After run(), for generation.
  SegmentRunner& runner() { return *runner_; }
  const RunState& state() const { return state_; }
  int64_t epoch() const { return state_.plans / plans_per_epoch_; }
  int64_t plans_per_epoch() const { return plans_per_epoch_; }
  int64_t global_batch() const { return options_.micro_batch * options_.accumulation * parts_.comm->size(); }
  int64_t total_steps() const;  // that the schedule and the progress line reckon with

 private:
  // What a roll back returns to, besides residency's part: a place in the list of hooks. What follows it there comes
  // again, an EPOCH_END or EPOCH_BEGIN as well.
  struct Stable {
    RunState state;
    int64_t evaluated_step = -1;
    std::string sampler_state;
    std::map<std::string, std::string> blobs;  // of states with that scope
  };

  void build(const CheckpointReader* resume);
  void loop();
  bool finished() const;  // at its end, or asked to stop
  bool at_end() const;
  void step();
  void after_step(const AttemptResult& result);
  void roll_back(const AttemptResult& result);
  [[noreturn]] void diverge(const AttemptResult& result, const std::string& why);
  void mark_stable();
  void tell_stable(const std::string& cause, const std::string& cause_zh);
  void evaluate();
  void save();
  void save_at_end();
  int64_t current_epoch() const { return state_.open_epoch >= 0 ? state_.open_epoch : epoch(); }
  bool epoch_over() const { return state_.open_epoch >= 0 && epoch() != state_.open_epoch; }
  void end_epoch();
  void fire_step_end(const AttemptResult& result, int64_t epoch);
  int64_t plans_an_epoch(int64_t global_batch) const;
  int64_t plans_after(const LoadedRun& loaded) const;
  void stop_on_signal(int signal);
  void fire(Hook hook, const char* reason = nullptr, const char* path = nullptr, int signal = 0);

  TrainOptions options_;
  TrainParts parts_;
  RunState state_;
  int64_t plans_per_epoch_ = 1;
  int64_t evaluated_step_ = -1, saved_step_ = -1;
  bool stop_ = false;
  bool mark_due_ = false, save_due_ = false;  // they wait for a state that may be marked stable
  Stable stable_;
  std::unique_ptr<SegmentRunner> runner_;
  std::unique_ptr<PlanFeed> feed_;
  std::unique_ptr<Attempt> attempt_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Reporter> reporter_;
  RunOutcome outcome_;
};

}  // namespace sz
