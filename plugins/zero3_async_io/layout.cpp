#include "layout.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace zero3 {
namespace {

std::vector<std::vector<int>> users_of(const ModelSpec& model) {
  std::vector<std::vector<int>> users(model.parameters.size());
  for (size_t s = 0; s < model.segments.size(); ++s) {
    for (const int p : model.segments[s]) {
      if (users[p].empty() || users[p].back() != int(s)) users[p].push_back(int(s));
    }
  }
  return users;
}

void add_users(std::vector<int>& users, const std::vector<int>& more) {
  std::vector<int> all;
  std::set_union(users.begin(), users.end(), more.begin(), more.end(), std::back_inserter(all));
  users = std::move(all);
}

std::string base_name(const ModelSpec& model, const UnitPlan& unit) {
  if (unit.persistent) return "small";
  std::string names;
  for (const int s : unit.users) names += (names.empty() ? "" : "+") + model.segment_names[s];
  return names.empty() ? "unused" : names;
}

std::string name_of(const ModelSpec& model, const UnitPlan& unit) {
  std::string name = base_name(model, unit);
  name += unit.decay ? "/decay" : "/no_decay";
  return unit.trainable ? name : name + "/frozen";
}

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Backward runs from the last segment to the first, so a unit is complete after its first user.
bool completes_before(const UnitPlan& a, const UnitPlan& b) {
  const auto key = [](const UnitPlan& u) {
    return std::make_tuple(!u.trainable, u.users.empty() ? 1 : -u.users.front(), !u.decay);
  };
  return key(a) < key(b);
}

std::vector<int> units_of(const std::vector<int>& parameters, const Layout& layout) {
  std::vector<int> units;
  for (const int p : parameters) {
    const int u = layout.places[p].unit;
    if (std::find(units.begin(), units.end(), u) == units.end()) units.push_back(u);
  }
  return units;
}

void index(Layout& layout, const ModelSpec& model) {
  layout.places.resize(model.parameters.size());
  for (size_t u = 0; u < layout.units.size(); ++u) {
    const UnitPlan& unit = layout.units[u];
    for (size_t i = 0; i < unit.parameters.size(); ++i) layout.places[unit.parameters[i]] = {int(u), int(i)};
  }
  for (const auto& parameters : model.segments) layout.units_of_segment.push_back(units_of(parameters, layout));
  layout.units_of_head = units_of(model.head, layout);
}

}  // namespace

int64_t size_of(uint32_t dtype) {
  switch (dtype) {
    case SZ_F64: case SZ_I64: return 8;
    case SZ_F16: case SZ_BF16: return 2;
    case SZ_U8: return 1;
    default: return 4;
  }
}

Layout make_layout(const ModelSpec& model, int ranks, int64_t persist_threshold) {
  const auto users = users_of(model);
  using Key = std::tuple<std::vector<int>, bool, bool, bool, int, int, int>;
  std::map<Key, UnitPlan> groups;
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    const ParameterSpec& spec = model.parameters[p];
    const sz_parameter_dtypes& t = spec.dtypes;
    const bool trainable = spec.trainable && !users[p].empty();
    const bool persistent = spec.numel <= persist_threshold;
    const std::vector<int> apart = persistent ? std::vector<int>() : users[p];
    UnitPlan& unit = groups[{apart, spec.decay, trainable, persistent, t.compute, t.accumulate, t.wire}];
    add_users(unit.users, users[p]);
    unit.decay = spec.decay;
    unit.trainable = trainable;
    unit.persistent = persistent;
    unit.dtypes = t;
    unit.parameters.push_back(int(p));
    const int64_t align = 64 / size_of(t.compute);
    unit.offsets.push_back(round_up(unit.numel, align));
    unit.numel = unit.offsets.back() + spec.numel;
    unit.shard = round_up((unit.numel + ranks - 1) / ranks, align);
  }
  Layout layout;
  for (auto& [key, unit] : groups) {
    unit.name = name_of(model, unit);
    layout.units.push_back(std::move(unit));
  }
  std::stable_sort(layout.units.begin(), layout.units.end(), completes_before);
  index(layout, model);
  return layout;
}

std::vector<sz_param_range> ranges_of(const UnitPlan& unit, const ModelSpec& model, int rank) {
  const int64_t begin = rank * unit.shard, end = begin + unit.shard;
  std::vector<sz_param_range> ranges;
  for (size_t i = 0; i < unit.parameters.size(); ++i) {
    const int64_t first = unit.offsets[i], numel = model.parameters[unit.parameters[i]].numel;
    const int64_t low = std::max(begin, first), high = std::min(end, first + numel);
    if (low < high) ranges.push_back({unit.parameters[i], low - begin, low - first, high - low});
  }
  return ranges;
}

}  // namespace zero3
