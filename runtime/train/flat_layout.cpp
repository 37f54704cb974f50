#include "train/flat_layout.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sz {
namespace {

std::vector<std::vector<int>> users_of(const ModelDeclaration& model) {
  std::vector<std::vector<int>> users(model.parameters.size());
  for (size_t s = 0; s < model.segments.size(); ++s) {
    for (const int p : model.segments[s].parameters) {
      if (users[p].empty() || users[p].back() != int(s)) users[p].push_back(int(s));
    }
  }
  return users;
}

std::string unit_name(const ModelDeclaration& model, const FlatUnit& unit) {
  std::string name;
  for (const int s : unit.users) name += (name.empty() ? "" : "+") + model.segments[s].name;
  if (name.empty()) name = "unused";
  name += unit.decay ? "/decay" : "/no_decay";
  return unit.trainable ? name : name + "/frozen";
}

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Backward runs from the last segment to the first, so a unit is complete after its first user.
bool completes_before(const FlatUnit& a, const FlatUnit& b) {
  const auto key = [](const FlatUnit& unit) {
    return std::make_tuple(!unit.trainable, unit.users.empty() ? 1 : -unit.users.front(), !unit.decay);
  };
  return key(a) < key(b);
}

}  // namespace

FlatLayout make_flat_layout(const ModelDeclaration& model, const DtypePlan& dtypes) {
  const auto users = users_of(model);
  using Key = std::tuple<std::vector<int>, bool, bool, DType, DType, DType, DType>;
  std::map<Key, FlatUnit> groups;
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    const ParameterDeclaration& d = model.parameters[p];
    const ParameterDtypes& t = dtypes.parameters[p];
    const bool trainable = d.trainable && !users[p].empty();  // one that was tied away is kept as it is
    FlatUnit& unit = groups[{users[p], d.decay, trainable, t.master, t.compute, t.accumulate, t.wire}];
    unit.users = users[p];
    unit.decay = d.decay;
    unit.trainable = trainable;
    unit.dtypes = t;
    unit.parameters.push_back(int(p));
    unit.offsets.push_back(unit.numel);
    unit.numel = round_up(unit.numel + d.numel(), FlatLayout::kAlign);
  }
  FlatLayout layout;
  for (auto& [key, unit] : groups) {
    unit.name = unit_name(model, unit);
    layout.units.push_back(std::move(unit));
  }
  std::stable_sort(layout.units.begin(), layout.units.end(), completes_before);
  layout.places.resize(model.parameters.size());
  for (size_t u = 0; u < layout.units.size(); ++u) {
    FlatUnit& unit = layout.units[u];
    unit.begin = layout.numel;
    layout.numel += unit.numel;
    if (unit.trainable) {
      layout.trainable_numel = layout.numel;
      int64_t& gradients = layout.gradient_numel[unit.dtypes.accumulate];
      unit.gradient_begin = gradients;
      gradients += unit.numel;
    }
    for (size_t i = 0; i < unit.parameters.size(); ++i) layout.places[unit.parameters[i]] = {int(u), int(i)};
  }
  return layout;
}

}  // namespace sz
