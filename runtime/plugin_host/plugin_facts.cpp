#include "plugin_host/plugin_facts.h"

#include <cmath>

#include "base/error.h"
#include "plugin_host/error_bridge.h"

namespace sz {

static_assert(int(Verdict::kApply) == SZ_APPLY && int(Verdict::kSkip) == SZ_SKIP &&
              int(Verdict::kRollBack) == SZ_ROLL_BACK && int(Verdict::kAbort) == SZ_ABORT);
static_assert(sizeof(SampleOutcome) == sizeof(sz_outcome) &&
              offsetof(SampleOutcome, tokens) == offsetof(sz_outcome, tokens) &&
              offsetof(SampleOutcome, correct) == offsetof(sz_outcome, correct));

FactsView::FactsView(const StepFacts& facts) {
  for (const auto& [name, value] : facts.scalars) {
    names_.push_back(name.c_str());
    values_.push_back(value);
  }
  view_ = {sizeof(sz_step_facts),
           facts.first_non_finite_parameter,
           facts.step,
           facts.attempt,
           facts.scale,
           facts.grad_norm,
           facts.non_finite,
           facts.loss,
           facts.tokens,
           facts.samples.size(),
           reinterpret_cast<const sz_outcome*>(facts.samples.data()),
           names_.size(),
           names_.data(),
           values_.data(),
           facts.stop_signal,
           facts.stop_requested,
           facts.save_requested,
           facts.evaluate_requested,
           facts.low_entries,
           facts.low_zeros};
}

EvalView::EvalView(const EvalResult& result) {
  for (const GroupResult& group : result.groups) {
    texts_.push_back(group.grouping + "." + group.group);
    groups_.push_back({group.loss, group.tokens, group.correct});
  }
  for (const std::string& text : texts_) names_.push_back(text.c_str());
  view_.struct_size = sizeof(sz_eval_result);
  view_.total = {result.loss * result.tokens, result.tokens, result.accuracy * result.tokens};
  view_.group_count = groups_.size();
  view_.group_names = names_.data();
  view_.groups = groups_.data();
}

sz_micro_batch to_micro_batch(const MicroBatch& batch) {
  return {sizeof(sz_micro_batch),
          0,
          batch.rows,
          batch.cols,
          batch.tokens,
          batch.ids.data(),
          batch.labels.data(),
          batch.mask.data(),
          batch.sample.data(),
          batch.position.data(),
          batch.plan_index.data()};
}

Vote to_vote(const sz_vote& vote, const std::string& voter) {
  const std::string who = "plugin '" + voter + "': its vote ";
  if (vote.verdict > SZ_ABORT) throw Error(Exit::kPlugin, who + "is the unknown " + std::to_string(vote.verdict));
  if (vote.has_clip && !(std::isfinite(vote.clip) && vote.clip > 0)) {
    throw Error(Exit::kPlugin, who + "has a clip limit that isn't a positive number");
  }
  Vote result;
  result.verdict = Verdict(vote.verdict);
  if (result.verdict != Verdict::kApply) result.reason = vote.reason ? vote.reason : "no reason given";
  if (result.verdict != Verdict::kApply && vote.reason_zh) result.reason_zh = vote.reason_zh;
  if (vote.has_clip) result.clip = vote.clip;
  result.voter = voter;
  result.keep_data_position = vote.keep_data_position != 0;
  return result;
}

Vote ask(JudgeFunction judge, void* self, const StepFacts& facts, const std::string& voter) {
  const FactsView view(facts);
  sz_vote vote{};
  vote.struct_size = sizeof(vote);
  check(judge(self, view.lend(), &vote), voter, "judge");
  return to_vote(vote, voter);
}

}  // namespace sz
