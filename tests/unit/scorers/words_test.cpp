#include "text/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/model_files.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "unit/scorers/shared_models.h"

namespace sz::text {
namespace {

using scorers::splitter;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> terms(const std::string& text) {
  std::vector<std::string> terms;
  const auto words = splitter()->split(text);
  for (const Word& word : words->words) terms.push_back(term_of(word));
  return terms;
}

std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> out;
  for (const SentencePiece& piece : split_sentences(splitter()->folding().fold(text))) out.push_back(piece.text);
  return out;
}

TEST(Utf8, BrokenBytesAreReplacedOneByOne) {
  EXPECT_EQ(decode("a", 0).code_point, U'a');
  EXPECT_EQ(decode("中", 0).bytes, 3u);
  for (const char* broken : {"\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF8", "\xE4\xB8"}) {
    EXPECT_EQ(decode(broken, 0).code_point, kReplacement);
    EXPECT_EQ(decode(broken, 0).bytes, 1u);
  }
}

TEST(Words, MixedScripts) {
  EXPECT_THAT(terms("The Cat, das Mädchen"), ElementsAre("the", "cat", "das", "mädchen"));
  EXPECT_THAT(terms("我们用Python写程序"), ElementsAre("我们", "用", "python", "写", "程序"));
  EXPECT_THAT(terms("Это кот"), ElementsAre("Это", "кот"));
}

TEST(Words, AnAddressBesideChineseCharacters) {
  EXPECT_THAT(terms("请联系user.name@example.com谢谢"), ElementsAre("请", "联系", "@", "谢谢"));
  EXPECT_THAT(terms("a@b is no address, x@example.org. is"), ElementsAre("a", "b", "is", "no", "address", "@", "is"));
}

TEST(Words, Digits) {
  EXPECT_THAT(terms("In 1984, 3.14 and 1,000.5"), ElementsAre("in", "#", "#", "and", "#"));
  EXPECT_THAT(terms("共１２３人"), ElementsAre("共", "#", "人"));
}

TEST(Words, SlashesHyphensAndApostrophes) {
  EXPECT_THAT(terms("and/or well-known don’t it's"), ElementsAre("and", "or", "well", "known", "don't", "it's"));
  EXPECT_THAT(terms("/usr/bin///x"), ElementsAre("usr", "bin", "x"));
}

TEST(Words, TraditionalCharactersAreReadAsSimplifiedOnes) {
  ASSERT_TRUE(splitter()->folding().knows_traditional());
  EXPECT_EQ(terms("老師喜歡學生"), terms("老师喜欢学生"));
}

TEST(Words, NothingButMarks) {
  for (const char* text : {"", " \t\n", "，。！？", "😀🎉👩‍👩‍👧", "\x01\x02\x7F", "\xFF\xFE", "—…「」"}) {
    EXPECT_THAT(terms(text), IsEmpty()) << text;
  }
}

TEST(Words, ControlCharactersSeparate) { EXPECT_THAT(terms("one\x01two\rthree"), ElementsAre("one", "two", "three")); }

TEST(Words, InvisibleMarksDoNot) {
  EXPECT_THAT(terms("soft\xC2\xADhyphen zero\xE2\x80\x8Bwidth"), ElementsAre("softhyphen", "zerowidth"));
}

TEST(Words, ALineOfAMegabyteIsSplit) {
  std::string letters(1 << 20, 'a'), han;
  while (han.size() < (1 << 20)) han += "今天天气很好";
  EXPECT_EQ(terms(letters).size(), 1u);
  EXPECT_EQ(terms(han).size(), 3 * (han.size() / 18));
}

TEST(Words, WordsOfUnknownIdeographsAreFoundByTheirShape) {
  std::string joined;
  const auto words = splitter()->split("他来到了网易杭研大厦");
  for (const Word& word : words->words) joined += std::string(word.text) + " ";
  EXPECT_EQ(joined, "他 来到 了 网易 杭研 大厦 ");
}

TEST(Route, FollowsTheScripts) {
  const auto route = [](const char* text) { return std::string(kRouteNames[uint32_t(route_of(count_scripts(text)))]); };
  EXPECT_EQ(route("An English sentence."), "english");
  EXPECT_EQ(route("一个中文句子。"), "chinese");
  EXPECT_EQ(route("这是 a mixed 句子 of both"), "mixed");
  EXPECT_EQ(route("Это предложение"), "other");
  EXPECT_EQ(route("123 😀"), "empty");
}

TEST(Sentences, EndAtFullStopsOfBothLanguages) {
  EXPECT_THAT(sentences("One two. Three four! Five?"), ElementsAre("One two.", "Three four!", "Five?"));
  EXPECT_THAT(sentences("今天很好。明天呢？再见！"), ElementsAre("今天很好。", "明天呢?", "再见!"));
  EXPECT_THAT(sentences("他说：“好。”然后走了。"), ElementsAre("他说:“好。”", "然后走了。"));
}

TEST(Sentences, DoNotEndAtAbbreviationsAndNumbers) {
  EXPECT_THAT(sentences("Dr. Smith paid 3.50 to J. Brown. He left."),
              ElementsAre("Dr. Smith paid 3.50 to J. Brown.", "He left."));
  EXPECT_THAT(sentences("See example.com for more. Thanks."), ElementsAre("See example.com for more.", "Thanks."));
}

TEST(Sentences, BlankLinesEndThemWrappedLinesDoNot) {
  EXPECT_THAT(sentences("A title\n\nwrapped\nline here."), ElementsAre("A title", "wrapped line here."));
  EXPECT_THAT(sentences("床前明月光，\n疑是地上霜。"), ElementsAre("床前明月光, 疑是地上霜。"));
}

TEST(Sentences, CountWords) {
  EXPECT_EQ(split_sentences("The cat sat on 2 mats.").at(0).words, 6u);
  EXPECT_EQ(split_sentences("今天天气很好。").at(0).words, 4u);
}

TEST(Clauses, AreShortEnoughAndLoseNothing) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "one two three four, ";
  const SentencePiece sentence = split_sentences(text).at(0);
  std::string joined;
  for (const SentencePiece& clause : split_clauses(sentence, 15)) {
    EXPECT_LE(clause.words, 15u);
    joined += (joined.empty() ? "" : " ") + clause.text;
  }
  EXPECT_EQ(joined, sentence.text);
}

TEST(Models, AMissingFolderNamesTheCommandThatBringsIt) {
  try {
    WordSplitter::load("/nowhere");
    ADD_FAILURE() << "models that aren't there were loaded";
  } catch (const ModelError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("scripts/setup.sh"));
  }
}

}  // namespace
}  // namespace sz::text
