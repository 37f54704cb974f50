// What a run says of itself: a line of metrics.jsonl an attempt and an evaluation, and the progress line.
#pragma once
#include <memory>
#include <string>

#include "base/progress.h"
#include "train/attempt.h"
#include "train/context.h"

namespace sz {

// "loss 2.345  1200 tokens/s"; a loss that is not a number is "nan".
std::string progress_text(double loss, double tokens_per_s);

class Reporter {
 public:
  // total_steps: of the run, for the progress line's time to go; first_step: done before (resume).
  Reporter(const TrainOptions& options, TrainParts& parts, int64_t total_steps, int64_t first_step);

  void attempt(const RunState& state, int64_t epoch, const AttemptResult& result);
  void evaluation(const RunState& state, int64_t epoch, const EvalResult& result);
  void finish(const RunState& state, bool all);  // all: nothing is left to train

 private:
  void plot(const RunState& state, const AttemptResult& result, double tokens_per_s,
            const std::vector<std::pair<std::string, double>>& published);

  TrainParts& parts_;
  int64_t plotted_bad_ = -1;  // the step whose bad attempt TensorBoard has been told of last
  std::unique_ptr<Progress> progress_;  // rank 0 only
};

}  // namespace sz
