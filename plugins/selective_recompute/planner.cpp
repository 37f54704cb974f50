#include "planner.h"

namespace recompute {

Planner::Planner(const PolicyOptions& options, std::vector<std::string> names)
    : options_(options), names_(std::move(names)), keep_(choose(options, names_)) {
  for (size_t i = 0; i < names_.size(); ++i) {
    kinds_.push_back(kind_of(names_[i]));
    if (i + 1 < names_.size()) members_[kinds_.back()].push_back(int(i));
  }
}

Keep Planner::keep(int64_t attempt, int segment) const {
  return probe(attempt, segment).value_or(keep_.at(size_t(segment)));
}

std::optional<Keep> Planner::probe(int64_t attempt, int segment) const {
  const bool compares = options_.policy == "cheap" || options_.policy == "budget";
  if (!compares || !measures(attempt) || segment + 1 == segments()) return std::nullopt;
  const std::vector<int>& alike = members_.at(kinds_[size_t(segment)]);
  if (alike[size_t(attempt / 2) % alike.size()] != segment) return std::nullopt;
  // The only one of its kind has to show by itself what the policy gives back.
  if (alike.size() == 1 && options_.policy == "budget" && attempt % 4 == 3) return std::nullopt;
  if (attempt % 2 == 1) return Keep::kAll;
  return options_.policy == "budget" ? std::optional(Keep::kCostly) : std::nullopt;
}

}  // namespace recompute
