// The words of a text in any mix of scripts, with what a scorer wants to know of each.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/chinese_segmenter.h"
#include "text/english_tagger.h"
#include "text/fold.h"
#include "text/part_of_speech.h"
#include "text/script.h"

namespace sz::text {

enum class WordKind : uint8_t {
  kLatin,    // letters, apostrophes between them: "don't"; hyphens and slashes separate
  kHan,      // a word of the Chinese segmenter
  kNumber,   // digits with '.' and ',' between them; every number is the term "#"
  kAddress,  // an e-mail address; every one is the term "@"
  kOther,    // a run of letters of another script
};

struct Word {
  std::string_view text;  // of Words::folded, as it is spelt there
  WordKind kind = WordKind::kLatin;
  PartOfSpeech part = PartOfSpeech::kOther;
  bool starts_sentence = false;
};

struct Words {
  std::string folded;  // what the words are pieces of; doesn't move when this struct does
  std::vector<Word> words;
  ScriptCounts scripts;
};

// What makes two words the same term: Latin in lower case, "#", "@", else as it is.
std::string term_of(const Word& word);

// Thread: any, once made.
class WordSplitter {
 public:
  // `models`: text/model_files.h's folder. Errors: ModelError.
  static WordSplitter load(const std::string& models);

  // Words without their part of speech: what counting needs.
  std::unique_ptr<Words> split(std::string_view text) const;
  std::unique_ptr<Words> split_and_tag(std::string_view text) const;

  const ChineseSegmenter& segmenter() const { return segmenter_; }
  const EnglishTagger& tagger() const { return tagger_; }
  const Folding& folding() const { return folding_; }

 private:
  void tag_english(Words& words) const;

  Folding folding_;
  ChineseSegmenter segmenter_;
  EnglishTagger tagger_;
};

}  // namespace sz::text
