// A data set in memory: random samples of very different lengths, in two languages, some with a masked prompt.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "data/source_service.h"

namespace sz::test {

struct MemorySourceOptions {
  int64_t train = 50, validation = 7;
  int64_t vocabulary = 97, context = 24;
  uint64_t seed = 5;
};

class MemorySource final : public Source {
 public:
  struct Sample {
    SampleTokens tokens;
    int32_t language = 0;
  };

  explicit MemorySource(const MemorySourceOptions& options = {}) : vocabulary_(options.vocabulary) {
    RandomStream random(mix(options.seed, hash_name("memory source")));
    for (int64_t i = 0; i < options.train; ++i) train_.push_back(draw(i, options, random));
    for (int64_t i = 0; i < options.validation; ++i) validation_.push_back(draw(i, options, random));
  }

  // To be changed before training starts.
  std::vector<Sample>& samples(Split split) { return split == Split::kTrain ? train_ : validation_; }
  const std::vector<Sample>& samples(Split split) const { return split == Split::kTrain ? train_ : validation_; }

  // All labels of the sample stop to count.
  void mask(Split split, int64_t sample) {
    for (float& m : samples(split).at(size_t(sample)).tokens.mask) m = 0;
  }

  int64_t count(Split split) const override { return int64_t(samples(split).size()); }
  SampleInfo info(Split split, int64_t sample) const override {
    const Sample& s = samples(split).at(size_t(sample));
    SampleInfo info;
    info.document = sample;
    info.length = int64_t(s.tokens.ids.size());
    for (const float m : s.tokens.mask) info.label_tokens += int64_t(m);
    info.language = s.language;
    return info;
  }
  void read(Split split, int64_t sample, SampleTokens& out) const override {
    out = samples(split).at(size_t(sample)).tokens;
  }
  std::string text(Split, int64_t sample) const override { return "sample " + std::to_string(sample); }
  const std::vector<std::string>& languages() const override { return languages_; }
  int64_t vocabulary() const override { return vocabulary_; }

 private:
  // Every fourth sample has one token, every fourth fills the context; every third has a masked prompt.
  static Sample draw(int64_t i, const MemorySourceOptions& options, RandomStream& random) {
    Sample sample;
    const int64_t context = options.context;
    const int64_t length = i % 4 == 0 ? 1 : i % 4 == 1 ? context : 1 + int64_t(random.below(uint64_t(context)));
    const int64_t prompt = i % 3 == 0 ? length / 2 : 0;
    for (int64_t t = 0; t < length; ++t) {
      sample.tokens.ids.push_back(int64_t(random.below(uint64_t(options.vocabulary))));
      sample.tokens.labels.push_back(int64_t(random.below(uint64_t(options.vocabulary))));
      sample.tokens.mask.push_back(t < prompt ? 0.0f : 1.0f);
    }
    sample.language = int32_t(random.below(2));
    return sample;
  }

  int64_t vocabulary_;
  std::vector<Sample> train_, validation_;
  std::vector<std::string> languages_ = {"en", "zh", "other"};
};

}  // namespace sz::test
