#include "budget.h"

#include <algorithm>

namespace recompute {
namespace {

// From one level of a segment to a further one.
struct Step {
  size_t segment = 0;
  Keep from = Keep::kAll, to = Keep::kAll;
  double bytes = 0, microseconds = 0;  // given back, lost

  // Bytes a microsecond, for ordering; a step that costs nothing measurable comes first.
  double worth() const { return bytes / std::max(microseconds, 1e-3); }
};

Step between(const SegmentCost& cost, size_t segment, Keep from, Keep to) {
  const int a = int(from), b = int(to);
  return {segment, from, to, cost.bytes[a] - cost.bytes[b],
          std::max(0.0, cost.microseconds[b]) - std::max(0.0, cost.microseconds[a])};
}

std::vector<Step> steps_of(const SegmentCost& cost, size_t segment) {
  const Step whole = between(cost, segment, Keep::kAll, Keep::kInputs);
  std::vector<Step> steps;
  if (cost.has_cheap) {
    const Step first = between(cost, segment, Keep::kAll, Keep::kCostly);
    const Step second = between(cost, segment, Keep::kCostly, Keep::kInputs);
    if (first.bytes > 0 && first.worth() >= second.worth()) {
      steps.push_back(first);
      if (second.bytes > 0) steps.push_back(second);
      return steps;
    }
  }
  if (whole.bytes > 0) steps.push_back(whole);
  return steps;
}

}  // namespace

BudgetChoice choose_for_budget(const std::vector<SegmentCost>& segments, double budget_bytes) {
  BudgetChoice choice;
  choice.keep.assign(segments.size(), Keep::kAll);
  std::vector<Step> steps;
  for (size_t i = 0; i < segments.size(); ++i) {
    choice.bytes += segments[i].bytes[0];
    for (const Step& step : steps_of(segments[i], i)) steps.push_back(step);
  }
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.worth() > b.worth(); });
  std::vector<Step> taken;
  for (const Step& step : steps) {
    if (choice.bytes <= budget_bytes) break;
    choice.keep[step.segment] = step.to;
    choice.bytes -= step.bytes;
    taken.push_back(step);
  }
  // The last step may have given back far more than was missing: dear ones before it may go, dearest first.
  std::stable_sort(taken.begin(), taken.end(),
                   [](const Step& a, const Step& b) { return a.microseconds > b.microseconds; });
  for (const Step& step : taken) {
    if (choice.keep[step.segment] != step.to || choice.bytes + step.bytes > budget_bytes) continue;
    choice.keep[step.segment] = step.from;
    choice.bytes += step.bytes;
  }
  for (size_t i = 0; i < segments.size(); ++i) {
    choice.microseconds += std::max(0.0, segments[i].microseconds[int(choice.keep[i])]);
  }
  choice.fits = choice.bytes <= budget_bytes;
  return choice;
}

double packed(const std::vector<Keep>& keep, size_t first) {
  double number = 1;  // tells a filled number from an empty one
  const size_t end = std::min(keep.size(), first + kSegmentsANumber);
  for (size_t i = end; i > first; --i) number = number * 4 + double(keep[i - 1]);
  return number;
}

bool unpack(double number, size_t first, std::vector<Keep>& into) {
  if (number < 1) return false;
  auto rest = uint64_t(number);
  const size_t end = std::min(into.size(), first + kSegmentsANumber);
  for (size_t i = first; i < end; ++i, rest /= 4) into[i] = Keep(rest % 4);
  return true;
}

}  // namespace recompute
