// Statistics that the tests judge scores by.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace sz::scorers {

// Ranks from 1; equal values share the mean of their ranks.
inline std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) {
    double below = 0, equal = 0;
    for (const double other : values) {
      below += other < value;
      equal += other == value;
    }
    out.push_back(below + (equal + 1) / 2);
  }
  return out;
}

// Spearman's rank correlation: Pearson's over the ranks.
inline double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (double(x.size()) + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// The share of (positive, negative) pairs that the scores put in the right order; ties count half.
inline double auc(const std::vector<double>& positive, const std::vector<double>& negative) {
  double right = 0;
  for (const double p : positive) {
    for (const double n : negative) right += p > n ? 1 : p == n ? 0.5 : 0;
  }
  return right / (double(positive.size()) * double(negative.size()));
}

}  // namespace sz::scorers
