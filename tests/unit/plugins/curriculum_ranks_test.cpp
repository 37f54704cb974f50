// Ranks within a language, combined measures, buckets.
#include <gtest/gtest.h>

#include <cmath>

#include "curriculum_dual_loop/difficulty.h"
#include "curriculum_dual_loop/ranks.h"

namespace curriculum {
namespace {

using Doubles = std::vector<double>;
using Languages = std::vector<int32_t>;

TEST(Ranks, CountWithinALanguage) {
  // Chinese (1) scores are all far above the English (0) ones: ranks don't care.
  const Doubles scores = {3, 100, 1, 300, 2, 200};
  const Languages languages = {0, 1, 0, 1, 0, 1};
  const RankTable table(scores, languages);
  EXPECT_EQ(table.ranks(scores, languages), (Doubles{1, 1.0 / 3, 1.0 / 3, 1, 2.0 / 3, 2.0 / 3}));
}

TEST(Ranks, EqualScoresShareTheirMeanPlace) {
  const Doubles scores = {5, 5, 5, 5};
  const Languages languages(4, 0);
  EXPECT_EQ(RankTable(scores, languages).ranks(scores, languages), Doubles(4, 2.5 / 4));
  const Doubles mixed = {1, 2, 2, 3};
  EXPECT_EQ(RankTable(mixed, languages).ranks(mixed, languages), (Doubles{0.25, 0.625, 0.625, 1}));
}

TEST(Ranks, ValuesFromElsewhereLieBetweenTheirNeighbours) {
  const Doubles scores = {1, 2, 3, 4};
  const RankTable table(scores, Languages(4, 0));
  EXPECT_EQ(table.rank(0, -10), 0.5 / 4);
  EXPECT_EQ(table.rank(0, 2.5), 2.5 / 4);
  EXPECT_EQ(table.rank(0, 2), 2.0 / 4);
  EXPECT_EQ(table.rank(0, 99), 1);
  EXPECT_EQ(table.rank(7, 2), 0.5) << "a language that training hasn't";
}

TEST(Ranks, RefuseWhatIsNotFinite) {
  EXPECT_THROW(RankTable(Doubles{1, NAN}, Languages(2, 0)), std::runtime_error);
}

TEST(Difficulties, OneMeasureIsItsRanks) {
  const Difficulties d = difficulties({{{10, 30, 20}, {25}, 5}}, Languages(3, 0), Languages(1, 0));
  EXPECT_EQ(d.train, (Doubles{1.0 / 3, 1, 2.0 / 3}));
  EXPECT_EQ(d.validation, (Doubles{2.5 / 3}));
}

TEST(Difficulties, CombinedIsTheWeightedMeanOfRanksRankedAgain) {
  // Ranks a: .25 .5 .75 1; ranks b: 1 .75 .5 .25. Weights 3 and 1: means .4375 .5625 .6875 .8125.
  const Measure a{{1, 2, 3, 4}, {}, 3}, b{{4, 3, 2, 1}, {}, 1};
  EXPECT_EQ(difficulties({a, b}, Languages(4, 0), {}).train, (Doubles{0.25, 0.5, 0.75, 1}));
  const Measure c{{4, 3, 2, 1}, {}, 9};
  EXPECT_EQ(difficulties({a, c}, Languages(4, 0), {}).train, (Doubles{1, 0.75, 0.5, 0.25}));
  const Measure none{{1, 2}, {}, 0};
  EXPECT_THROW(difficulties({none, none}, Languages(2, 0), {}), std::runtime_error);
}

TEST(Difficulties, AThresholdIsAShareOfEachLanguage) {
  Doubles x, y;
  Languages languages;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i * 37 % 100);
    y.push_back(i * 71 % 100 + (i % 2) * 1000);
    languages.push_back(i % 2);
  }
  const Difficulties d = difficulties({{x, {}, 1}, {y, {}, 1}}, languages, {});
  for (const int32_t language : {0, 1}) {
    int below = 0;
    for (int i = 0; i < 100; ++i) below += languages[size_t(i)] == language && d.train[size_t(i)] <= 0.3 + 1e-9;
    EXPECT_NEAR(below, 15, 1) << language;  // 30% of 50; equal means share a rank
  }
}

TEST(Weights, ByName) {
  const std::vector<std::string> names = {"scorer_tfidf", "embed"};
  EXPECT_EQ(weights_of({}, names), (Doubles{1, 1}));
  EXPECT_EQ(weights_of({"tfidf=0.25", "embed=3"}, names), (Doubles{0.25, 3}));
  EXPECT_EQ(weights_of({"embed=1e-1"}, names), (Doubles{0, 0.1}));
  for (const char* bad : {"tfidf", "tfidf=", "tfidf=-1", "tfidf=a", "tfidf=1x", "tfidf=nan", "syntax=1", "=1"}) {
    EXPECT_THROW(weights_of({bad}, names), std::runtime_error) << bad;
  }
}

TEST(Buckets, CoverHalfOpenIntervals) {
  EXPECT_EQ(bucket_of(0.1, 10), 0);
  EXPECT_EQ(bucket_of(0.1001, 10), 1);
  EXPECT_EQ(bucket_of(0.3, 10), 2);
  EXPECT_EQ(bucket_of(1, 10), 9);
  EXPECT_EQ(bucket_of(0, 10), 0);
  EXPECT_EQ(bucket_of(0.5, 1), 0);
}

}  // namespace
}  // namespace curriculum
