#include "ranks.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace curriculum {

RankTable::RankTable(std::span<const double> scores, std::span<const int32_t> languages) {
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i]))
      throw std::runtime_error("the score of sample " + std::to_string(i) + " isn't finite");
    sorted_[languages[i]].push_back(scores[i]);
  }
  for (auto& [language, values] : sorted_) std::sort(values.begin(), values.end());
}

double RankTable::rank(int32_t language, double score) const {
  const auto found = sorted_.find(language);
  if (found == sorted_.end()) return 0.5;
  const auto [low, high] = std::equal_range(found->second.begin(), found->second.end(), score);
  const double lower = double(low - found->second.begin()), equal = double(high - low);
  return std::min(1.0, (lower + (equal + 1) / 2) / double(found->second.size()));
}

std::vector<double> RankTable::ranks(std::span<const double> scores, std::span<const int32_t> languages) const {
  std::vector<double> result(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) result[i] = rank(languages[i], scores[i]);
  return result;
}

namespace {

void add_weighted(std::vector<double>& sum, const std::vector<double>& ranks, double weight) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += weight * ranks[i];
}

Difficulties ranked(const std::vector<double>& train, const std::vector<double>& validation,
                    std::span<const int32_t> train_languages, std::span<const int32_t> validation_languages) {
  const RankTable table(train, train_languages);
  return {table.ranks(train, train_languages), table.ranks(validation, validation_languages)};
}

}  // namespace

Difficulties difficulties(const std::vector<Measure>& measures, std::span<const int32_t> train_languages,
                          std::span<const int32_t> validation_languages) {
  Difficulties sum{std::vector<double>(train_languages.size()), std::vector<double>(validation_languages.size())};
  double weights = 0;
  for (const Measure& measure : measures) {
    const Difficulties own = ranked(measure.train, measure.validation, train_languages, validation_languages);
    if (measures.size() == 1) return own;
    add_weighted(sum.train, own.train, measure.weight);
    add_weighted(sum.validation, own.validation, measure.weight);
    weights += measure.weight;
  }
  if (!(weights > 0))
    throw std::runtime_error("the weights of the scorers add up to nothing; give one of them a weight");
  return ranked(sum.train, sum.validation, train_languages, validation_languages);
}

int bucket_of(double difficulty, int buckets) {
  return std::clamp(int(std::ceil(difficulty * buckets - 1e-9)) - 1, 0, buckets - 1);
}

}  // namespace curriculum
