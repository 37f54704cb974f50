// English parts of speech: an averaged perceptron over word shapes and neighbours (the features that M. Honnibal
// published for textblob-aptagger), with weights trained on the English Web Treebank (denckring-en-pos).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/hash_table.h"
#include "text/part_of_speech.h"

namespace sz::text {

// Thread: any, once made. Holds about 10 MB.
class EnglishTagger {
 public:
  // `path`: tagger.json. Errors: ModelError.
  static EnglishTagger load(const std::string& path);

  // One universal tag (UPOS, "NOUN") a word; the words of one sentence without its punctuation.
  std::vector<std::string_view> tag(const std::vector<std::string_view>& words) const;
  // The same, as what scorers need: NOUN and PROPN are nouns, VERB is a verb, AUX is neither.
  std::vector<PartOfSpeech> parts(const std::vector<std::string_view>& words) const;

 private:
  struct Row {
    uint32_t first = 0, count = 0;  // of weights_
  };
  struct Weight {
    uint32_t label;
    float value;
  };
  // One sentence's words in lower case, and the labels guessed so far.
  struct Sentence;
  // Labels are indices into labels_, which is sorted; of equal scores the last label wins.
  std::vector<uint32_t> labels_of(const std::vector<std::string_view>& words) const;
  uint32_t predict(const Sentence& sentence, size_t at) const;
  void add(uint64_t feature, std::vector<double>& scores) const;
  std::string_view label_name(uint32_t label) const;

  std::vector<std::string> labels_;  // "VERB|Fin"
  std::vector<PartOfSpeech> parts_;  // of each label
  HashTable<uint32_t> certain_;      // words that have one label only
  HashTable<Row> rows_;              // by feature, spelt as in the file: "suf3 ing"
  std::vector<Weight> weights_;
};

}  // namespace sz::text
