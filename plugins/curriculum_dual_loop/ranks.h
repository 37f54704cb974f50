// Difficulty: the rank of a sample's score among the training samples of its own language, in (0, 1].
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace curriculum {

// The scores of a reference set (the training samples), by language.
class RankTable {
 public:
  // scores must be finite; both spans have an element a sample.
  RankTable(std::span<const double> scores, std::span<const int32_t> languages);

  // (number of lower scores + the mean place among equal ones) / number of scores, so that equal scores share a rank.
  // A score that isn't in the set gets the rank between its neighbours; a language without scores 0.5.
  double rank(int32_t language, double score) const;
  std::vector<double> ranks(std::span<const double> scores, std::span<const int32_t> languages) const;

 private:
  std::map<int32_t, std::vector<double>> sorted_;
};

// One measure of difficulty over both splits.
struct Measure {
  std::vector<double> train, validation;  // raw scores
  double weight = 1;
};

struct Difficulties {
  std::vector<double> train, validation;  // ranks among the training samples of the language
};

// One measure: its ranks. Several: the weighted mean of their ranks, ranked again, so that a threshold of 0.3 is the
// easiest 30% of each language here too.
Difficulties difficulties(const std::vector<Measure>& measures, std::span<const int32_t> train_languages,
                          std::span<const int32_t> validation_languages);

// Bucket of a difficulty: bucket b of B covers (b / B, (b + 1) / B].
int bucket_of(double difficulty, int buckets);

}  // namespace curriculum
