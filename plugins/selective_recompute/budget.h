// Policy "budget": what each segment keeps, so that all together fit and the time lost is small.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "policy.h"

namespace recompute {

// What a segment holds from forward to backward, and what forming the rest again costs, at each level.
struct SegmentCost {
  double bytes[3] = {};         // held at kAll, kCostly, kInputs, its output included
  double microseconds[3] = {};  // of backward beyond that of kAll
  bool has_cheap = false;       // whether kCostly exists
};

struct BudgetChoice {
  std::vector<Keep> keep;
  double bytes = 0, microseconds = 0;
  bool fits = false;  // false: even the least is more than the budget
};

// The multiple-choice knapsack by its greedy rule: levels that aren't on their segment's convex hull of (bytes given
// back, time) are left out, the steps between the others are taken in the order of bytes given back a microsecond
// until the rest fits; then steps that turned out not to be needed are taken back. (Sinha, Zoltners, "The
// multiple-choice knapsack problem", 1979.)
BudgetChoice choose_for_budget(const std::vector<SegmentCost>& segments, double budget_bytes);

// Levels as numbers that a sum over ranks carries exactly: 24 segments a number, 0 where nobody has filled it in.
inline constexpr int kSegmentsANumber = 24;
double packed(const std::vector<Keep>& keep, size_t first);
// False where `number` holds nothing.
bool unpack(double number, size_t first, std::vector<Keep>& into);

}  // namespace recompute
