// How far the losses of samples lie apart.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace curriculum {

// Running mean and variance (Welford, 1962).
class LossSpread {
 public:
  void add(double loss) {
    ++count_;
    const double delta = loss - mean_;
    mean_ += delta / double(count_);
    squares_ += delta * (loss - mean_);
  }
  uint64_t count() const { return count_; }
  // Of the sample, with n - 1; NaN below two values.
  double deviation() const {
    return count_ < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares_ / double(count_ - 1));
  }
  // Expected sampling error of deviation(), for normally distributed losses: s / sqrt(2 (n - 1)).
  double error() const { return deviation() / std::sqrt(2.0 * double(count_ - 1)); }

 private:
  uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace curriculum
