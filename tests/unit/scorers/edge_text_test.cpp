// Every scorer gives every text a defined score, the same each time.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scorer_embed/embed.h"
#include "scorer_syntax/syntax.h"
#include "scorer_tfidf/tfidf.h"
#include "text/model_files.h"
#include "unit/scorers/shared_models.h"

namespace sz::scorers {
namespace {

std::string repeated(const char* piece, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

const std::vector<std::pair<const char*, std::string>>& edge_texts() {
  static const std::vector<std::pair<const char*, std::string>> texts = {
      {"empty", ""},
      {"white space", " \n\t　"},
      {"an address beside Chinese", "请联系user@example.com谢谢"},
      {"full-width digits and letters", "共１２３人，ＡＢＣ"},
      {"traditional", "老師喜歡學生，學生也喜歡老師。"},
      {"emoji", "😀🎉👩‍👩‍👧"},
      {"emoji in a sentence", "I am happy 😀 today."},
      {"control characters", std::string("a\x01\x02\x00\x1B[31mred", 12)},
      {"broken bytes", "caf\xE9 \xFF\xFE \xE4\xB8"},
      {"digits", "1234567890 3.14"},
      {"slashes", "and/or /usr/bin ///"},
      {"one letter", "x"},
      {"one ideograph", "人"},
      {"stop words", "the of and a to in"},
      {"stop words in Chinese", "的了在是"},
      {"another script", "Это предложение. これは文です。"},
      {"brackets", "(S (NP (((((( )))) [x] {y}"},
      {"a megabyte of one letter", std::string(1 << 20, 'a')},
      {"a megabyte of words in one line", repeated("the cat sat on the mat and ", 1 << 20)},
      {"a megabyte of Chinese in one line", repeated("今天天气很好我们去公园", 1 << 20)},
      {"a megabyte of marks", repeated("?!", 1 << 20)},
  };
  return texts;
}

TEST(EdgeTexts, Tfidf) {
  const Tfidf scorer(splitter(), {});
  for (const auto& [name, text] : edge_texts()) {
    const double score = scorer.score(text).value;
    EXPECT_TRUE(std::isfinite(score) && score >= 0) << name << " " << score;
    EXPECT_EQ(score, scorer.score(text).value) << name;
  }
  EXPECT_EQ(scorer.score("老師喜歡學生").value, scorer.score("老师喜欢学生").value);
}

TEST(EdgeTexts, Syntax) {
  const SyntaxScorer scorer(make_link_grammar_parser(3),
                            make_udpipe_parser(text::models_folder("") + "/chinese.udpipe"), {});
  for (const auto& [name, text] : edge_texts()) {
    const double score = scorer.score(text).value;
    EXPECT_TRUE(std::isfinite(score) && score >= 0) << name << " " << score;
    EXPECT_EQ(score, scorer.score(text).value) << name;
  }
  EXPECT_EQ(scorer.score("老師喜歡學生。").value, scorer.score("老师喜欢学生。").value);
}

TEST(EdgeTexts, Embed) {
  EmbedScorer scorer(SentenceEncoder::load(text::models_folder("") + "/sentence_encoder"), Direction::kFarIsHard);
  scorer.set_concepts({"a text", "一篇文章"});
  for (const auto& [name, text] : edge_texts()) {
    const double score = scorer.score(text).value;
    EXPECT_TRUE(std::isfinite(score) && score >= 0 && score <= 2) << name << " " << score;
    EXPECT_EQ(score, scorer.score(text).value) << name;
  }
}

}  // namespace
}  // namespace sz::scorers
