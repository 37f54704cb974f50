// What a run says of itself: a line of metrics.jsonl an attempt and an evaluation, and the progress line.
#pragma once
#include <memory>

#include "base/progress.h"
#include "train/attempt.h"
#include "train/context.h"

namespace sz {

class Reporter {
 public:
  // total_steps: of the run, for the progress line's time to go; first_step: done before (resume).
  Reporter(const TrainOptions& options, TrainParts& parts, int64_t total_steps, int64_t first_step);

  void attempt(const RunState& state, int64_t epoch, const AttemptResult& result);
  void evaluation(const RunState& state, int64_t epoch, const EvalResult& result);
  void finish(const RunState& state);

 private:
  void plot(const RunState& state, const AttemptResult& result, double tokens_per_s,
            const std::vector<std::pair<std::string, double>>& published);

  TrainParts& parts_;
  std::unique_ptr<Progress> progress_;  // rank 0 only
};

}  // namespace sz
