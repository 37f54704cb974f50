#include "train/run_services.h"

#include <algorithm>

#include "base/error.h"

namespace sz {

void EventQueue::subscribe(const std::string& name, Listener listener) {
  listeners_.emplace_back(name, std::move(listener));
}

void EventQueue::deliver() {
  for (size_t i = 0; i < queue_.size(); ++i) {
    const Event event = queue_[i];  // a listener may publish and so move the queue
    for (size_t l = 0; l < listeners_.size(); ++l) {
      if (listeners_[l].first == event.name) listeners_[l].second(event);
    }
  }
  queue_.clear();
}

void MetricBoard::publish(const std::string& name, double value) {
  last_[name] = value;
  const auto same = [&](const auto& entry) { return entry.first == name; };
  const auto it = std::find_if(fresh_.begin(), fresh_.end(), same);
  if (it == fresh_.end()) {
    fresh_.emplace_back(name, value);
  } else {
    it->second = value;
  }
}

bool MetricBoard::read(const std::string& name, double& value) const {
  const auto it = last_.find(name);
  if (it == last_.end()) return false;
  value = it->second;
  return true;
}

std::vector<std::pair<std::string, double>> MetricBoard::take() { return std::exchange(fresh_, {}); }

int ScalarBoard::add(const std::string& name) {
  SZ_ASSERT(open_);
  SZ_ASSERT(std::find(names_.begin(), names_.end(), name) == names_.end());
  names_.push_back(name);
  values_.push_back(0);
  return int(names_.size()) - 1;
}

void ScalarBoard::set(int index, double value) {
  SZ_ASSERT(index >= 0 && size_t(index) < values_.size());
  values_[index] = value;
}

}  // namespace sz
