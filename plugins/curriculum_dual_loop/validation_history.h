// Validation by difficulty bucket over the last epochs: what the outer loop looks at.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "bytes.h"

namespace curriculum {

// NaN where a bucket has no validation samples.
struct Validation {
  std::vector<double> loss, accuracy;  // by bucket, token-weighted
  double total_accuracy = 0;
};

class ValidationHistory {
 public:
  explicit ValidationHistory(int64_t buckets) : buckets_(buckets) {}

  void push(Validation validation);
  int64_t epochs() const { return int64_t(epochs_.size()); }
  const Validation& last() const { return epochs_.back(); }

  // Least squares slope of a bucket's accuracy over the last `window` epochs, an epoch; NaN for all while there are
  // fewer epochs, and for a bucket without samples.
  std::vector<double> slopes(int64_t window) const;
  // (max - min) / mean of the total accuracy over the last `window` epochs, 0 where it never falls: a rise is learning,
  // not swinging. NaN while there are fewer epochs.
  double swing(int64_t window) const;

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  static constexpr size_t kKept = 64;  // epochs

  int64_t buckets_;
  std::deque<Validation> epochs_;
};

}  // namespace curriculum
