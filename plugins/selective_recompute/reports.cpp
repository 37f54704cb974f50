// What the plugin expects and has measured, as decisions.
#include <algorithm>

#include "selective_recompute.h"
#include "texts.h"

namespace recompute {

double SelectiveRecompute::expected_percent(int segment, Keep keep) const {
  double all = 0;
  for (const SegmentState& s : segments_) all += s.expected.forward_flops;
  const double again = segments_[size_t(segment)].expected.flops[int(keep)];
  return all > 0 ? 100 * again / (3 * all) : 0;  // backward is twice forward
}

double SelectiveRecompute::expected_given_back(int segment, Keep keep, double tokens) const {
  const SegmentState& s = segments_[size_t(segment)];
  const double seen = s.element_bytes > 0 ? s.element_bytes : element_bytes_;
  return s.expected.given_back(keep, seen > 0 ? seen : 4) * tokens;
}

// Once, as soon as the dtype is known: before backward, or when the first segment has been run again.
void SelectiveRecompute::record_start() {
  if (start_recorded_) return;
  start_recorded_ = true;
  for (int i = 0; i < planner_->segments(); ++i) {
    const SegmentState& segment = segments_[size_t(i)];
    StartFacts facts;
    facts.segment = planner_->name(i);
    facts.policy = policy_.policy;
    facts.keep = segment.used;
    facts.held = segment.held - segment.away;
    facts.given_back = expected_given_back(i, segment.used, segment.tokens);
    facts.cost_percent = expected_percent(i, segment.used);
    decisions_->record(start_decision(facts));
  }
  record_slices();
}

void SelectiveRecompute::record_slices() {
  int64_t rows = 1;
  bool any = false;
  for (const SegmentState& segment : segments_) {
    rows = std::max(rows, segment.rows);
    any = any || segment.used == Keep::kInputs;
  }
  if (!any || rows >= slices_) return;
  const sz::Decision decision = slices_decision(slices_, rows);
  decisions_->record(decision);
  log_->warn(decision.text_en);
}

void SelectiveRecompute::record_measured() {
  double step = 0;
  for (int i = 0; i < planner_->segments(); ++i) step += costs_->micro_batch_microseconds(i, micro_batch_tokens_);
  for (const auto& [kind, members] : planner_->members()) record_measured(kind, members, step);
}

void SelectiveRecompute::record_measured(const std::string& kind, const std::vector<int>& members,
                                         double step_microseconds) {
  // Segments of a kind may be treated differently: the one that gives back most stands for those that do.
  const std::vector<Keep>& policy = planner_->policy();
  const auto less = [&](int a, int b) { return policy[size_t(a)] < policy[size_t(b)]; };
  const int shown = *std::max_element(members.begin(), members.end(), less);
  MeasuredFacts facts;
  facts.kind = kind;
  facts.policy = policy_.policy;
  facts.keep = policy[size_t(shown)];
  if (facts.keep == Keep::kCostly && !segments_[size_t(shown)].has_cheap) facts.keep = Keep::kAll;
  if (facts.keep == Keep::kAll) return;
  facts.segments = int(std::count_if(members.begin(), members.end(),
                                     [&](int i) { return policy[size_t(i)] == policy[size_t(shown)]; }));
  facts.given_back = costs_->given_back(shown, facts.keep, micro_batch_tokens_);
  facts.microseconds = costs_->microseconds(shown, facts.keep, micro_batch_tokens_);
  facts.in_chunks = facts.given_back < 0 && std::min(slices_, segments_[size_t(shown)].rows) > 1;
  if (facts.in_chunks) facts.given_back = expected_given_back(shown, facts.keep, micro_batch_tokens_);
  facts.expected_percent = expected_percent(shown, facts.keep);
  facts.step_microseconds = step_microseconds;
  decisions_->record(measured_decision(facts));
}

}  // namespace recompute
