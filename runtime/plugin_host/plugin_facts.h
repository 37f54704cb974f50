// StepFacts, hook infos and votes between the runtime and the ABI.
#pragma once
#include <sz/facts.h>
#include <sz/hooks.h>

#include <string>
#include <vector>

#include "train/facts.h"
#include "train/hooks.h"
#include "train/run_services.h"

namespace sz {

// C views of runtime data; they point into both the source and this object.
class FactsView {
 public:
  explicit FactsView(const StepFacts& facts);
  const sz_step_facts* lend() const { return &view_; }

 private:
  std::vector<const char*> names_;
  std::vector<double> values_;
  sz_step_facts view_;
};

class EvalView {
 public:
  explicit EvalView(const EvalResult& result);
  const sz_eval_result* lend() const { return &view_; }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> names_;
  std::vector<sz_outcome> groups_;
  sz_eval_result view_{};
};

sz_micro_batch to_micro_batch(const MicroBatch& batch);

// Errors: Error(kPlugin) for a vote that makes no sense.
Vote to_vote(const sz_vote& vote, const std::string& voter);

// Asks a judge (of a voter or a precision slot) and turns what it says into a Vote.
using JudgeFunction = sz_error* (*)(void* self, const sz_step_facts* facts, sz_vote* vote);
Vote ask(JudgeFunction judge, void* self, const StepFacts& facts, const std::string& voter);

}  // namespace sz
