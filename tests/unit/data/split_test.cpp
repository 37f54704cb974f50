#include "data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.h"

namespace sz {
namespace {

constexpr uint8_t kEnglish = 0, kChinese = 1, kOther = 2;

int64_t validation_of(const std::vector<Split>& split, const std::vector<uint8_t>& languages, uint8_t language) {
  int64_t count = 0;
  for (size_t i = 0; i < split.size(); ++i) {
    count += languages[i] == language && split[i] == Split::kValidation ? 1 : 0;
  }
  return count;
}

struct Documents {
  std::vector<uint64_t> hashes;
  std::vector<uint8_t> languages;
  void add(uint64_t hash, uint8_t language) {
    hashes.push_back(hash);
    languages.push_back(language);
  }
};

TEST(Split, TakesTheFraction) {
  Documents documents;
  for (uint64_t i = 0; i < 10000; ++i) {
    documents.add(mix(1, i), i % 2 ? kChinese : kEnglish);
  }
  const std::vector<Split> split = split_documents(documents.hashes, documents.languages, 0.1);
  for (const uint8_t language : {kEnglish, kChinese}) {
    EXPECT_NEAR(double(validation_of(split, documents.languages, language)), 500, 107);  // 5 sigma
  }
}

TEST(Split, FractionZeroTrainsOnAll) {
  const Documents documents = {{1, 2, 3}, {kEnglish, kChinese, kChinese}};
  const std::vector<Split> split = split_documents(documents.hashes, documents.languages, 0);
  EXPECT_EQ(std::count(split.begin(), split.end(), Split::kValidation), 0);
}

TEST(Split, EveryLanguageIsOnBothSides) {
  for (const double fraction : {1e-9, 0.05, 0.999999}) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      Documents documents;
      for (uint64_t i = 0; i < 100; ++i) {
        documents.add(mix(seed, i), i < 2 ? kChinese : i < 98 ? kEnglish : kOther);
      }
      const std::vector<Split> split = split_documents(documents.hashes, documents.languages, fraction);
      for (const uint8_t language : {kEnglish, kChinese, kOther}) {
        const int64_t all = std::count(documents.languages.begin(), documents.languages.end(), language);
        EXPECT_GE(validation_of(split, documents.languages, language), 1);
        EXPECT_LT(validation_of(split, documents.languages, language), all);
      }
    }
  }
}

TEST(Split, OneDocumentOfEachLanguage) {
  const Documents documents = {{~0ull, ~0ull - 5000}, {kEnglish, kChinese}};
  const std::vector<Split> split = split_documents(documents.hashes, documents.languages, 0.01);
  EXPECT_EQ(split[0], Split::kTrain);
  EXPECT_EQ(split[1], Split::kValidation);
}

TEST(Split, SingleDocumentTrains) {
  for (const uint64_t hash : {uint64_t(0), ~uint64_t(0)}) {
    const Documents documents = {{hash, hash}, {kEnglish, kEnglish}};
    EXPECT_EQ(split_documents(documents.hashes, documents.languages, 0.5)[0], Split::kTrain);
    EXPECT_EQ(split_documents(documents.hashes, documents.languages, 0.5)[1], Split::kTrain);
  }
  EXPECT_TRUE(split_documents({}, {}, 0.5).empty());
}

TEST(Split, CopiesStayTogether) {
  Documents documents;
  for (uint64_t i = 0; i < 300; ++i) {
    documents.add(mix(4, i % 100), kEnglish);
  }
  const std::vector<Split> split = split_documents(documents.hashes, documents.languages, 0.2);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(split[i], split[i + 100]);
    EXPECT_EQ(split[i], split[i + 200]);
  }
}

TEST(Split, SidesStayAsOthersCome) {
  Documents documents;
  for (uint64_t i = 0; i < 200; ++i) {
    documents.add(mix(9, i), kChinese);
  }
  const std::vector<Split> before = split_documents(documents.hashes, documents.languages, 0.3);
  for (uint64_t i = 200; i < 400; ++i) {
    documents.add(mix(9, i), kChinese);
  }
  const std::vector<Split> after = split_documents(documents.hashes, documents.languages, 0.3);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
}

}  // namespace
}  // namespace sz
