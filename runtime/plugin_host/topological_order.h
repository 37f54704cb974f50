// Orders names so that every "a before b" holds, ties by name.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sz {

struct TopologicalOrder {
  std::vector<std::string> order;  // complete where cycle is empty
  std::vector<std::string> cycle;  // a, b, c: a before b before c before a
};

// Edges between names that are not in `names` are left out. A pure function (Kahn, 1962).
TopologicalOrder topological_order(const std::set<std::string>& names,
                                   const std::set<std::pair<std::string, std::string>>& edges);

}  // namespace sz
