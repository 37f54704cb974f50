// One attempt at a step: from STEP_BEGIN to the verdict, and the optimizer step or skip that follows.
#pragma once
#include <string>

#include "train/context.h"
#include "train/exchange.h"
#include "train/plan_feed.h"
#include "train/segment_runner.h"

namespace sz {

struct AttemptResult {
  PlanFeed::Step step;
  StepFacts facts;
  Vote decision;        // the severest vote; kSkip as well where no token of the step counts
  double lr = 0;        // of an applied step
  double clip_factor = 1;
  double seconds = 0;
  double cpu_seconds = 0;  // of all threads of this process meanwhile
};

class Attempt {
 public:
  Attempt(const TrainOptions& options, TrainParts& parts, PlanFeed& feed, SegmentRunner& runner);

  // Advances state.attempt and state.plans; state.step where the step was applied. Verdicts other than apply and skip
  // are left to the caller. Fires STEP_BEGIN .. OPTIMIZER_STEP or STEP_SKIPPED.
  AttemptResult run(RunState& state, int64_t epoch);

 private:
  void micro_batches(const PlanFeed::Step& step, HookInfo at, double scale, LocalFacts& local);
  StepFacts judge_together(const HookInfo& at, LocalFacts& local, double scale);
  Vote decide(const StepFacts& facts);
  void record(const Vote& severest, const std::string& votes, const StepFacts& facts);
  void apply(HookInfo at, const StepFacts& facts, AttemptResult& result);
  void optimizer_step(size_t wrapper, const HookInfo& at, const StepScalars& scalars);
  uint64_t state_hash(const RunState& state, const Plan& plan, double scale) const;

  const TrainOptions& options_;
  TrainParts& parts_;
  PlanFeed& feed_;
  SegmentRunner& runner_;
  double last_loss_ = 0, last_norm_ = 0;  // of the attempt before: part of what ranks compare
};

}  // namespace sz
