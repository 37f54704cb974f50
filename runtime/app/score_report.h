// The look at a data set's scores: text for people.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/score_file.h"

namespace sz {

struct Measure {
  std::string name;                 // "tfidf"
  std::vector<std::string> routes;  // what SplitScores::routes point into
  SplitScores scores;
};

struct ScoredSamples {
  std::vector<Measure> measures;            // of the same samples
  std::vector<std::string> languages;       // tags
  std::vector<int32_t> language_of;         // a sample
  std::function<std::string(int64_t)> text;  // of a sample
};

// Distribution of each measure by language as bars, rank correlations between measures, and the easiest, middle and
// hardest sample of each measure and language.
std::string describe(const ScoredSamples& samples);

// Spearman's rank correlation; equal values share their mean rank. NaN where one of the two is constant.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace sz
