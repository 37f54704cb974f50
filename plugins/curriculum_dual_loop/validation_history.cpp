#include "validation_history.h"

#include <algorithm>
#include <limits>

namespace curriculum {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double slope_of(const std::vector<double>& values) {
  const double n = double(values.size()), middle = (n - 1) / 2;
  double above = 0, below = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    above += (double(i) - middle) * values[i];
    below += (double(i) - middle) * (double(i) - middle);
  }
  return above / below;
}

}  // namespace

void ValidationHistory::push(Validation validation) {
  epochs_.push_back(std::move(validation));
  if (epochs_.size() > kKept) epochs_.pop_front();
}

std::vector<double> ValidationHistory::slopes(int64_t window) const {
  std::vector<double> slopes(size_t(buckets_), kNan);
  if (epochs() < window || window < 2) return slopes;
  for (size_t b = 0; b < slopes.size(); ++b) {
    std::vector<double> values;
    for (int64_t e = epochs() - window; e < epochs(); ++e) values.push_back(epochs_[size_t(e)].accuracy[b]);
    slopes[b] = slope_of(values);
  }
  return slopes;
}

double ValidationHistory::swing(int64_t window) const {
  if (epochs() < window || window < 2) return kNan;
  const size_t first = size_t(epochs() - window);
  double low = epochs_[first].total_accuracy, high = low, before = low, sum = 0;
  bool falls = false;
  for (size_t e = first; e < epochs_.size(); ++e) {
    const double accuracy = epochs_[e].total_accuracy;
    falls = falls || accuracy < before;
    low = std::min(low, accuracy);
    high = std::max(high, accuracy);
    sum += before = accuracy;
  }
  return falls && sum > 0 ? (high - low) / (sum / double(window)) : 0;
}

void ValidationHistory::save(Writer& out) const {
  out.put(uint64_t(epochs_.size()));
  for (const Validation& epoch : epochs_) {
    out.put_list(epoch.loss);
    out.put_list(epoch.accuracy);
    out.put(epoch.total_accuracy);
  }
}

void ValidationHistory::load(Reader& in) {
  epochs_.clear();
  for (auto left = in.get<uint64_t>(); left > 0; --left) {
    Validation epoch;
    epoch.loss = in.get_list<double>();
    epoch.accuracy = in.get_list<double>();
    epoch.total_accuracy = in.get<double>();
    epochs_.push_back(std::move(epoch));
  }
}

}  // namespace curriculum
