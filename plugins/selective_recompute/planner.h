// What each segment keeps at each attempt: the policy, the probes of the first steps, and the budget's choice.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "costs.h"
#include "policy.h"

namespace recompute {

// Attempts count from 1 at the start of the process, on all ranks alike.
//
// One segment of each kind, another at each attempt, is the probe: it keeps all, or what is costly, while the others
// go by the policy, so that levels can be compared at the price of one segment of each kind. Only "cheap" and "budget"
// need that; a recomputed segment shows its cost itself.
class Planner {
 public:
  static constexpr int64_t kWarmUp = 2, kLastMeasured = 10;

  Planner(const PolicyOptions& options, std::vector<std::string> names);

  Keep keep(int64_t attempt, int segment) const;
  bool measures(int64_t attempt) const { return attempt > kWarmUp && attempt <= kLastMeasured; }
  const std::vector<Keep>& policy() const { return keep_; }
  void set(std::vector<Keep> keep) { keep_ = std::move(keep); }

  int segments() const { return int(names_.size()); }
  const std::string& name(int segment) const { return names_.at(size_t(segment)); }
  const std::vector<std::string>& kinds() const { return kinds_; }  // by segment
  const std::map<std::string, std::vector<int>>& members() const { return members_; }

 private:
  std::optional<Keep> probe(int64_t attempt, int segment) const;

  PolicyOptions options_;
  std::vector<std::string> names_, kinds_;
  std::map<std::string, std::vector<int>> members_;
  std::vector<Keep> keep_;
};

}  // namespace recompute
