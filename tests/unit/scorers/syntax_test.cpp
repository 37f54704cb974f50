#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "scorer_syntax/syntax.h"
#include "text/model_files.h"
#include "unit/scorers/graded_text.h"
#include "unit/scorers/spearman.h"

namespace sz::scorers {
namespace {

// Says a depth, or nothing, and keeps what it was given.
class StandIn final : public DepthParser {
 public:
  explicit StandIn(std::optional<double> depth) : depth_(depth) {}
  std::optional<double> depth(const std::string& sentence, bool) const override {
    seen.push_back(sentence);
    return depth_;
  }
  mutable std::vector<std::string> seen;

 private:
  std::optional<double> depth_;
};

struct WithStandIns {
  explicit WithStandIns(SyntaxOptions options = {}, std::optional<double> english_depth = 5.0)
      : english(new StandIn(english_depth)), chinese(new StandIn(7.0)),
        scorer(std::unique_ptr<DepthParser>(english), std::unique_ptr<DepthParser>(chinese), options) {}
  StandIn* english;
  StandIn* chinese;
  SyntaxScorer scorer;
};

const SyntaxScorer& real() {
  static const SyntaxScorer scorer(make_link_grammar_parser(2),
                                   make_udpipe_parser(text::models_folder("") + "/chinese.udpipe"), {});
  return scorer;
}

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += i ? " word" : "word";
  return text + ".";
}

TEST(Syntax, DepthTimesPenaltyByHand) {
  SyntaxOptions options;
  options.free_words = 3;
  options.tau = 2;
  const WithStandIns with(options);
  EXPECT_DOUBLE_EQ(with.scorer.score(words(3)).value, 5.0);
  EXPECT_DOUBLE_EQ(with.scorer.score(words(7)).value, 5.0 * std::exp(2.0));
}

TEST(Syntax, ThePenaltyIsFiniteForAnyLength) {
  EXPECT_TRUE(std::isfinite(length_penalty(1e300, 20, 0.001)));
  EXPECT_DOUBLE_EQ(length_penalty(20, 20, 30), 1.0);
  EXPECT_LT(length_penalty(50, 20, 30), length_penalty(51, 20, 30));
}

TEST(Syntax, OfManySentencesTheMiddlesOfEqualSharesAreParsed) {
  const WithStandIns with;
  with.scorer.score("One. One two. One two three. One two three four.");
  ASSERT_EQ(with.english->seen.size(), 2u);
  EXPECT_EQ(with.english->seen[0], "One two.");
  EXPECT_EQ(with.english->seen[1], "One two three four.");
}

TEST(Syntax, EachSentenceGoesToTheParserOfItsScript) {
  const WithStandIns with;
  const SyntaxScore score = with.scorer.score("这是一个句子。This is another sentence.");
  EXPECT_EQ(with.english->seen, std::vector<std::string>{"This is another sentence."});
  EXPECT_EQ(with.chinese->seen, std::vector<std::string>{"这是一个句子。"});
  EXPECT_DOUBLE_EQ(score.value, 6.0);
}

TEST(Syntax, LongSentencesAreParsedByClausesOfAtMostTheLimit) {
  SyntaxOptions options;
  options.max_words = 10;
  const WithStandIns with(options);
  EXPECT_EQ(with.scorer.estimated(), 0u);
  with.scorer.score(words(1000));
  EXPECT_FALSE(with.english->seen.empty());
  EXPECT_LE(with.english->seen.size(), 8u);
  for (const std::string& piece : with.english->seen) EXPECT_LE(piece.size(), 51u);
}

TEST(Syntax, AParserThatGivesUpIsReplacedByACountedEstimate) {
  const WithStandIns with({}, std::nullopt);
  const SyntaxScore score = with.scorer.score("This sentence is not parsed.");
  EXPECT_GT(score.value, 0);
  EXPECT_STREQ(kSyntaxRouteNames[score.route], "estimated");
  EXPECT_EQ(with.scorer.estimated(), 1u);
  const char* const longer = "This much longer sentence, which goes on for a while, is not parsed.";
  EXPECT_GT(with.scorer.score(longer).value, score.value);
}

TEST(Syntax, OtherScriptsAreEstimated) {
  const WithStandIns with;
  EXPECT_STREQ(kSyntaxRouteNames[with.scorer.score("Это предложение.").route], "estimated");
  EXPECT_TRUE(with.english->seen.empty());
}

TEST(Syntax, ATextWithoutLettersScoresZero) {
  const WithStandIns with;
  for (const char* text : {"", "  \n\n", "123 456", "😀", "\x01\x02"}) {
    EXPECT_EQ(with.scorer.score(text).value, 0) << text;
  }
}

TEST(LinkGrammar, FindsMoreLevelsInNestedSentences) {
  const auto parser = make_link_grammar_parser(2);
  const double flat = parser->depth("Dogs bark.", false).value();
  const double nested = parser->depth("The dog that chased the cat that ate the mouse barked.", false).value();
  EXPECT_GE(flat, 1);
  EXPECT_GT(nested, flat);
  EXPECT_TRUE(parser->depth("fragment of a with", true).has_value());
}

TEST(Udpipe, FindsMoreLevelsInNestedSentences) {
  const auto parser = make_udpipe_parser(text::models_folder("") + "/chinese.udpipe");
  const double flat = parser->depth("狗叫。", false).value();
  const double nested = parser->depth("我昨天在街上看见的那个穿红色衣服的人的哥哥是老师。", false).value();
  EXPECT_GT(nested, flat);
}

TEST(Udpipe, AMissingModelNamesTheCommandThatBringsIt) {
  try {
    make_udpipe_parser("/nowhere/chinese.udpipe");
    ADD_FAILURE() << "a model that isn't there was loaded";
  } catch (const text::ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("scripts/setup.sh"), std::string::npos) << e.what();
  }
}

template <size_t N>
double correlation(const GradedText (&graded)[N]) {
  static_assert(N >= 12);
  std::vector<double> levels, scores;
  for (const GradedText& text : graded) {
    levels.push_back(text.level);
    scores.push_back(real().score(text.text).value);
    if (std::getenv("SZ_SHOW")) std::printf("%d %.3f\n", text.level, scores.back());
  }
  return spearman(levels, scores);
}

TEST(Syntax, RanksGradedTexts) {
  const double english = correlation(kGradedEnglish), chinese = correlation(kGradedChinese);
  RecordProperty("english", std::to_string(english));
  RecordProperty("chinese", std::to_string(chinese));
  EXPECT_GE(english, 0.7);
  EXPECT_GE(chinese, 0.7);
}

TEST(Syntax, ThreadsGiveTheSameScores) {
  std::vector<const char*> texts;
  for (const GradedText& text : kGradedEnglish) texts.push_back(text.text);
  for (const GradedText& text : kGradedChinese) texts.push_back(text.text);
  std::vector<double> alone(texts.size()), together(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) alone[i] = real().score(texts[i]).value;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = t; i < texts.size(); i += 3) together[i] = real().score(texts[i]).value;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alone, together);
}

}  // namespace
}  // namespace sz::scorers
