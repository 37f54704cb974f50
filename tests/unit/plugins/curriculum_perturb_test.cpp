// Perturbed copies: what each kind does to English, Chinese and mixed text, and how their tokens take a sample's place.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "curriculum_dual_loop/copies.h"
#include "curriculum_dual_loop/homophones.h"
#include "curriculum_dual_loop/perturb.h"
#include "curriculum_dual_loop/pieces.h"

namespace curriculum {
namespace {

const std::string kEnglish = "The quick brown fox jumps over their lazy dog, and nobody would know which one was here.";
const std::string kChinese = "今天天气很好，我们在公园里做了很多有意思的事情，大家都很高兴。";
const std::string kMixed = "我用 Python 写了一个 scheduler，运行时间少了 30%。";

std::vector<std::string> sorted_characters(const std::string& text) {
  std::vector<std::string> all;
  for (const Piece& piece : split_pieces(text)) all.insert(all.end(), piece.characters.begin(), piece.characters.end());
  std::sort(all.begin(), all.end());
  return all;
}

size_t characters(const std::string& text) { return sorted_characters(text).size(); }

bool valid_utf8(const std::string& text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const size_t length = byte < 0x80 ? 1 : byte < 0xC2 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (length == 0 || i + length > text.size()) return false;
    for (size_t k = 1; k < length; ++k) {
      if ((text[i + k] & 0xC0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

TEST(Pieces, AreWordsChineseCharactersAndTheRest) {
  const auto pieces = split_pieces("我用Python 3。");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].text(), "我");
  EXPECT_EQ(pieces[2].kind, Piece::Kind::kWord);
  EXPECT_EQ(pieces[2].text(), "Python");
  EXPECT_EQ(pieces[3].text(), " 3。");
  for (const std::string& text : {kEnglish, kChinese, kMixed, std::string("\xff ok \xe4")}) {
    EXPECT_EQ(join(split_pieces(text)), text);
  }
}

TEST(Perturb, EveryKindChangesEveryText) {
  for (const std::string& text : {kEnglish, kChinese, kMixed}) {
    for (uint32_t kind = 1; kind <= kPerturbations; ++kind) {
      std::set<std::string> copies;
      for (uint64_t seed = 0; seed < 50; ++seed) {
        const std::string copy = perturb(text, Perturbation(kind), seed);
        EXPECT_NE(copy, text) << kind;
        EXPECT_TRUE(valid_utf8(copy)) << kind;
        EXPECT_FALSE(copy.empty());
        copies.insert(copy);
        EXPECT_EQ(copy, perturb(text, Perturbation(kind), seed)) << "a function of the seed";
      }
      EXPECT_GT(copies.size(), 2u) << kind;
    }
    EXPECT_EQ(perturb(text, Perturbation::kNone, 1), text);
  }
}

TEST(Perturb, SwapKeepsTheCharacters) {
  for (const std::string& text : {kEnglish, kChinese, kMixed}) {
    EXPECT_EQ(sorted_characters(perturb(text, Perturbation::kSwap, 3)), sorted_characters(text));
  }
}

TEST(Perturb, DropAndRepeatTakeAboutATenthOfTheWords) {
  const size_t words = 17;  // of kEnglish
  const auto count_words = [](const std::string& text) {
    const auto pieces = split_pieces(text);
    return size_t(
        std::count_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.kind == Piece::Kind::kWord; }));
  };
  ASSERT_EQ(count_words(kEnglish), words);
  EXPECT_EQ(count_words(perturb(kEnglish, Perturbation::kDrop, 4)), words - 2);
  EXPECT_EQ(count_words(perturb(kEnglish, Perturbation::kRepeat, 4)), words + 2);
  EXPECT_EQ(characters(kChinese) - characters(perturb(kChinese, Perturbation::kDrop, 4)), 3u);  // of 28
  EXPECT_EQ(characters(perturb(kChinese, Perturbation::kRepeat, 4)) - characters(kChinese), 3u);
}

TEST(Perturb, HomophonesKeepTheSound) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const auto before = split_pieces(kChinese), after = split_pieces(perturb(kChinese, Perturbation::kHomophone, seed));
    ASSERT_EQ(before.size(), after.size());
    int changed = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i].text() == after[i].text()) continue;
      ++changed;
      EXPECT_EQ(sounds_like(before[i].text()), sounds_like(after[i].text()));
    }
    EXPECT_GE(changed, 1);
  }
  std::set<std::string> heard;
  for (uint64_t seed = 0; seed < 20; ++seed) heard.insert(perturb("their", Perturbation::kHomophone, seed));
  EXPECT_EQ(heard, (std::set<std::string>{"there", "they're"}));
}

TEST(Perturb, MixedScripts) {
  const std::string english = perturb("peace", Perturbation::kMixScripts, 1);
  EXPECT_EQ(english, "реасе");  // Cyrillic
  EXPECT_EQ(perturb("的", Perturbation::kMixScripts, 1), "de");
}

TEST(Perturb, TextsWithNothingToChangeStay) {
  for (const char* text : {"", "123 456", "。", "a"}) {
    for (uint32_t kind = 1; kind <= kPerturbations; ++kind) {
      EXPECT_TRUE(valid_utf8(perturb(text, Perturbation(kind), 1)));
      EXPECT_FALSE(std::string(text).size() > 0 && perturb(text, Perturbation(kind), 1).empty()) << text << kind;
    }
  }
  EXPECT_EQ(perturb("123 456", Perturbation::kSwap, 1), "123 456");
}

// A text without homophones still gets changed.
TEST(Perturb, FallsBackToSwapping) {
  EXPECT_NE(perturb("Zürich xylophone", Perturbation::kHomophone, 1), "Zürich xylophone");
}

TEST(Perturb, KindsAreAllDrawn) {
  std::set<Perturbation> kinds;
  for (uint64_t seed = 0; seed < 100; ++seed) kinds.insert(perturbation_of(seed));
  EXPECT_EQ(kinds.size(), kPerturbations);
}

TEST(Homophones, EachCharacterStandsOnceAndInThreeBytes) {
  for (const char* character : {"是", "的", "他", "在", "做", "今"}) ASSERT_NE(sounds_like(character), nullptr) << character;
  EXPECT_EQ(sounds_like("his"), nullptr);
  EXPECT_EQ(sounds_like("他"), sounds_like("她"));
  EXPECT_TRUE(english_homophones("xylophone").empty());
}

TEST(Copies, TakeTheTokensPlaceAndKeepLengthAndLastLabel) {
  const auto put = [](std::vector<int64_t> tokens, bool keep_first) {
    std::vector<int64_t> ids = {1, 10, 11, 12}, labels = {10, 11, 12, 2};
    const std::vector<float> mask = {0, 1, 1, 1};
    put_tokens({sizeof(sz_sample_tokens), 0, 4, ids.data(), labels.data(), mask.data()}, tokens, keep_first);
    EXPECT_EQ(std::vector<int64_t>(ids.begin() + 1, ids.end()), std::vector<int64_t>(labels.begin(), labels.end() - 1));
    EXPECT_EQ(labels.back(), 2) << "the end of the document, or where the next sample goes on";
    return ids;
  };
  using Ids = std::vector<int64_t>;
  EXPECT_EQ(put({20, 21, 22}, true), (Ids{1, 20, 21, 22}));
  EXPECT_EQ(put({20, 21, 22, 23, 24}, true), (Ids{1, 20, 21, 22}));
  EXPECT_EQ(put({20}, true), (Ids{1, 20, 11, 12}));
  EXPECT_EQ(put({20, 21}, false), (Ids{20, 21, 11, 12}));
  EXPECT_EQ(put({}, false), (Ids{1, 10, 11, 12}));
}

}  // namespace
}  // namespace curriculum
