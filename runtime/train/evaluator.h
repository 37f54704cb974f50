// Evaluation on the validation split: token-weighted, in groups, the same segments in mode evaluate.
#pragma once
#include "train/context.h"
#include "train/segment_runner.h"

namespace sz {

// Groups samples by SampleInfo::language.
EvalGrouping language_grouping(std::shared_ptr<const Source> source, Split split);

class Evaluator {
 public:
  // max_samples: taken evenly over the split; 0 takes all.
  Evaluator(const TrainOptions& options, TrainParts& parts, SegmentRunner& runner, int64_t max_samples = 0);

  // Collective. Fires EVAL_BEGIN (BATCH_READY SEGMENT_FORWARD LOSS)* EVAL_END. The result is the same on all ranks.
  // A split without samples gives tokens = 0.
  EvalResult run(const RunState& state, int64_t epoch);

 private:
  std::vector<SampleOutcome> outcomes(HookInfo at, int64_t samples);
  EvalResult summarise(const std::vector<SampleOutcome>& outcomes) const;

  const TrainOptions& options_;
  TrainParts& parts_;
  SegmentRunner& runner_;
  int64_t max_samples_;
};

}  // namespace sz
