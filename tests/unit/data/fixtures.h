// Small texts, and a source made of numbers.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "data/source_service.h"
#include "unit/base/temporary_folder.h"

namespace sz::test {

// Expects `run` to throw Error of that kind whose message holds `words`.
inline void expect_error(Exit exit, const std::string& words, const std::function<void()>& run) {
  try {
    run();
    ADD_FAILURE() << "no error; expected one with: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(int(error.exit()), int(exit)) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what() << "\nexpected: " << words;
  }
}

inline std::string english(RandomStream& random, int words) {
  static const std::vector<std::string> kWords = {"the",   "river", "carries", "small", "boats",  "past",  "every",
                                                  "house", "where", "old",     "women", "sell",   "bread", "and",
                                                  "apples", "while", "children", "learn", "their", "letters"};
  std::string text;
  for (int i = 0; i < words; ++i) {
    text += (i ? " " : "") + kWords[random.below(kWords.size())];
  }
  return text + ".";
}

inline std::string chinese(RandomStream& random, int words) {
  static const std::vector<std::string> kWords = {"春天", "河水", "小船", "老人", "孩子", "学习", "写字", "明月",
                                                  "故乡", "远山", "花开", "风吹", "我们", "他们", "看见", "听到"};
  std::string text;
  for (int i = 0; i < words; ++i) {
    text += kWords[random.below(kWords.size())] + (i % 5 == 4 ? "，" : "");
  }
  return text + "。";
}

// Documents of both languages, separated by blank lines.
inline std::string mixed_corpus(int documents_each, uint64_t seed = 1) {
  RandomStream random(seed);
  std::string text;
  for (int i = 0; i < documents_each; ++i) {
    text += english(random, 10 + int(random.below(30))) + "\n\n" + chinese(random, 10 + int(random.below(30))) + "\n\n";
  }
  return text;
}

// Sample i has i % 7 + 1 inputs 100 i, 100 i + 1, ... and its first i % 3 labels masked (never all).
class NumberSource : public Source {
 public:
  explicit NumberSource(int64_t samples) : samples_(samples) {}
  int64_t count(Split) const override { return samples_; }
  SampleInfo info(Split, int64_t sample) const override {
    SampleInfo info;
    info.document = sample;
    info.length = sample % 7 + 1;
    info.label_tokens = info.length - masked(sample);
    return info;
  }
  void read(Split split, int64_t sample, SampleTokens& out) const override {
    if (sample == broken) {
      throw Error(Exit::kData, "sample " + std::to_string(sample) + " can't be read");
    }
    const int64_t length = info(split, sample).length;
    out.ids.clear();
    out.labels.clear();
    out.mask.clear();
    for (int64_t t = 0; t < length; ++t) {
      out.ids.push_back(100 * sample + t);
      out.labels.push_back(100 * sample + t + 1);
      out.mask.push_back(t < masked(sample) ? 0.0f : 1.0f);
    }
  }
  std::string text(Split, int64_t sample) const override { return std::to_string(sample); }
  const std::vector<std::string>& languages() const override {
    static const std::vector<std::string> tags = {"en", "zh", "other"};
    return tags;
  }
  int64_t vocabulary() const override { return 100 * samples_ + 10; }

  std::atomic<int64_t> broken{-1};

 private:
  static int64_t masked(int64_t sample) { return std::min(sample % 3, sample % 7); }
  int64_t samples_;
};

inline Plan plan_of(const std::vector<int64_t>& samples) {
  Plan plan;
  for (const int64_t sample : samples) {
    PlanItem item;
    item.sample = sample;
    item.position = 1000 + plan.size();
    plan.push_back(item);
  }
  return plan;
}

}  // namespace sz::test
