#include "order.h"

#include <algorithm>
#include <utility>

namespace zero3 {

Order::Event Order::begin_pass() {
  Event event = Event::kNone;
  if (!pass_.empty() && !following_) {
    event = Event::kRecorded;
  } else if (!pass_.empty() && pass_.size() < recorded_.size()) {
    expected_ = recorded_[pass_.size()];
    event = Event::kChanged;
  }
  if (event != Event::kNone) recorded_ = std::move(pass_);
  pass_.clear();
  following_ = !recorded_.empty();
  return event;
}

Order::Event Order::next(int segment) {
  const size_t at = pass_.size();
  pass_.push_back(segment);
  if (!following_ || (at < recorded_.size() && recorded_[at] == segment)) return Event::kNone;
  expected_ = at < recorded_.size() ? recorded_[at] : -1;
  following_ = false;
  return Event::kChanged;
}

std::span<const int> Order::upcoming(size_t count) const {
  if (!following_ || pass_.size() >= recorded_.size()) return {};
  const std::span<const int> rest = std::span(recorded_).subspan(pass_.size());
  return rest.first(std::min(count, rest.size()));
}

// FNV-1a over the segments' numbers.
uint64_t Order::hash() const {
  uint64_t hash = 14695981039346656037ull;
  for (const int segment : pass_) hash = (hash ^ uint64_t(uint32_t(segment))) * 1099511628211ull;
  return hash;
}

}  // namespace zero3
