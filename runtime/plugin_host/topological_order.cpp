#include "plugin_host/topological_order.h"

#include <algorithm>
#include <map>

namespace sz {
namespace {

using Edges = std::set<std::pair<std::string, std::string>>;

// Everything left has a predecessor that is left too, so walking back must come round.
std::vector<std::string> find_cycle(const std::set<std::string>& left, const Edges& edges) {
  std::vector<std::string> walked = {*left.begin()};
  for (;;) {
    for (const auto& [before, after] : edges) {
      if (after != walked.back() || !left.count(before)) continue;
      const auto seen = std::find(walked.begin(), walked.end(), before);
      if (seen != walked.end()) {
        std::vector<std::string> cycle(seen, walked.end());
        std::reverse(cycle.begin(), cycle.end());
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        return cycle;
      }
      walked.push_back(before);
      break;
    }
  }
}

}  // namespace

TopologicalOrder topological_order(const std::set<std::string>& names, const Edges& edges) {
  std::map<std::string, int> waiting_for;
  for (const auto& [before, after] : edges) {
    if (names.count(before) && names.count(after)) ++waiting_for[after];
  }
  std::set<std::string> left = names, ready;
  for (const std::string& name : names) {
    if (!waiting_for[name]) ready.insert(name);
  }
  TopologicalOrder result;
  while (!ready.empty()) {
    const std::string name = *ready.begin();
    ready.erase(ready.begin());
    left.erase(name);
    result.order.push_back(name);
    for (const auto& [before, after] : edges) {
      if (before == name && names.count(after) && --waiting_for[after] == 0) ready.insert(after);
    }
  }
  if (!left.empty()) result.cycle = find_cycle(left, edges);
  return result;
}

}  // namespace sz
