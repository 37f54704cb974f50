#include "app/score_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sz {
namespace {

using testing::HasSubstr;

TEST(RankCorrelation, ByHand) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8);
  // Ties share their mean rank: (0, 1.5, 1.5, 3) with (0, 1, 2, 3).
  EXPECT_NEAR(rank_correlation({1, 2, 2, 3}, {1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5), 1e-12);
  EXPECT_TRUE(std::isnan(rank_correlation({1, 1, 1}, {1, 2, 3})));
}

ScoredSamples samples(size_t count) {
  ScoredSamples all;
  all.languages = {"en", "zh", "other"};
  all.measures = {{"up", {"a", "b"}, {}}, {"down", {"a", "b"}, {}}};
  for (size_t i = 0; i < count; ++i) {
    all.language_of.push_back(int32_t(i % 2));
    all.measures[0].scores.values.push_back(double(i));
    all.measures[0].scores.routes.push_back(uint8_t(i % 2));
    all.measures[1].scores.values.push_back(-double(i));
    all.measures[1].scores.routes.push_back(0);
  }
  all.text = [](int64_t i) { return "sample\n\tnumber " + std::to_string(i) + (i % 2 ? " 中文" : ""); };
  return all;
}

TEST(ScoreReport, ShowsEachMeasureByLanguage) {
  const std::string text = describe(samples(100));
  EXPECT_THAT(text, HasSubstr("up, en: 50 samples, mean 49, deviation 28.86, from 0 to 98"));
  EXPECT_THAT(text, HasSubstr("routes: a 50\n"));
  EXPECT_THAT(text, HasSubstr("routes: b 50\n"));
  EXPECT_THAT(text, HasSubstr("easiest           0  sample number 0\n"));
  EXPECT_THAT(text, HasSubstr("middle           51  sample number 51 中文\n"));
  EXPECT_THAT(text, HasSubstr("hardest          98  sample number 98\n"));
  EXPECT_THAT(text, HasSubstr("en     up and down: -1.00"));
  EXPECT_THAT(text, HasSubstr("█"));
  EXPECT_THAT(text, testing::Not(HasSubstr("other")));
}

TEST(ScoreReport, FewAndNoSamples) {
  EXPECT_THAT(describe(samples(3)), HasSubstr("up, en: 2 samples"));
  EXPECT_THAT(describe(samples(0)), HasSubstr("rank correlation"));
}

TEST(ScoreReport, LongTextsAreCutAtACharacter) {
  ScoredSamples all = samples(2);
  all.text = [](int64_t) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "中";
    return text;
  };
  EXPECT_THAT(describe(all), HasSubstr("中…\n"));
}

}  // namespace
}  // namespace sz
