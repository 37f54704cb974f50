// Noun/verb accuracy on sentences tagged by hand, and the exact way that the taggers read their models.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "unit/scorers/shared_models.h"
#include "unit/scorers/tagged_text.h"

namespace sz::scorers {
namespace {

struct Tagged {
  std::string word;
  char part;
};

std::vector<Tagged> parse(const char* sentence) {
  std::vector<Tagged> out;
  std::istringstream words(sentence);
  for (std::string item; words >> item;) out.push_back({item.substr(0, item.size() - 2), item.back()});
  return out;
}

char letter(text::PartOfSpeech part) {
  if (part == text::PartOfSpeech::kNoun) return 'N';
  return part == text::PartOfSpeech::kVerb ? 'V' : 'O';
}

struct Tally {
  int cut_differently = 0, words = 0, right = 0, content_words = 0, content_right = 0;
  std::string wrong;
};

// Over the words that the splitter cuts as the tagged sentence does.
Tally tally(const std::vector<std::string>& joined, const std::vector<std::vector<Tagged>>& gold,
            const std::string& between) {
  Tally result;
  for (size_t s = 0; s < gold.size(); ++s) {
    const auto words = splitter()->split_and_tag(joined[s]);
    size_t offset = 0;
    for (const Tagged& expected : gold[s]) {
      char found = '-';
      for (const text::Word& word : words->words) {
        if (word.text.data() == words->folded.data() + offset && word.text == expected.word) found = letter(word.part);
      }
      offset += expected.word.size() + between.size();
      if (found == '-') {
        ++result.cut_differently;
        continue;
      }
      const bool right = found == expected.part, content = expected.part != 'O';
      ++result.words;
      result.right += right;
      result.content_words += content;
      result.content_right += content && right;
      if (!right) result.wrong += expected.word + "/" + expected.part + " was " + found + "; ";
    }
  }
  return result;
}

template <size_t N>
Tally tally_of(const char* const (&sentences)[N], const std::string& between) {
  std::vector<std::string> joined;
  std::vector<std::vector<Tagged>> gold;
  for (const char* sentence : sentences) {
    gold.push_back(parse(sentence));
    std::string text;
    for (const Tagged& word : gold.back()) text += (text.empty() ? "" : between) + word.word;
    joined.push_back(text);
  }
  return tally(joined, gold, between);
}

void expect_accurate(const Tally& t) {
  EXPECT_GE(t.words, 200);
  EXPECT_LE(t.cut_differently, t.words / 5);
  EXPECT_GE(t.right, 0.9 * t.words) << t.wrong;
  EXPECT_GE(t.content_right, 0.9 * t.content_words) << t.wrong;
  std::printf("%d of %d words, %d of %d nouns and verbs; wrong: %s\n", t.right, t.words, t.content_right,
              t.content_words, t.wrong.c_str());
}

TEST(Tagging, NounsAndVerbsInEnglish) { expect_accurate(tally_of(kTaggedEnglish, " ")); }
TEST(Tagging, NounsAndVerbsInChinese) { expect_accurate(tally_of(kTaggedChinese, "")); }

}  // namespace
}  // namespace sz::scorers
