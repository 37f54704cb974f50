// Chinese words and their part of speech: jieba's algorithm (MIT, github.com/fxsjy/jieba) with jieba's dictionary. The
// likeliest path through all dictionary words of a run, then a hidden Markov model over what stayed single.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/chinese_hmm.h"
#include "text/hash_table.h"
#include "text/part_of_speech.h"

namespace sz::text {

// Thread: any, once made. Holds about 40 MB.
class ChineseSegmenter {
 public:
  // `folder` has dict.txt (word, frequency, tag a line) and finalseg/prob_*.py. Errors: ModelError.
  static ChineseSegmenter load(const std::string& folder);

  // Appends the words of `run`, which is nothing but ideographs; they are pieces of it and leave no gap.
  void cut(std::string_view run, std::vector<std::string_view>& words) const;

  // By the dictionary's one tag a word; kOther for words that it doesn't have. A verb that may stand as a noun (vn) is
  // a noun after the particle 的, else a verb. `before`: the word before it, or empty.
  PartOfSpeech part_of(std::string_view word, std::string_view before = {}) const;

 private:
  struct Entry {
    float log_frequency = 0;
    bool word = false;  // else only the beginning of one
    bool verbal_noun = false;
    PartOfSpeech part = PartOfSpeech::kOther;
  };
  void add_line(std::string_view line, double& total);
  void cut_singles(const std::vector<char32_t>& points, const std::vector<uint32_t>& offsets, size_t from, size_t to,
                   std::string_view run, std::vector<std::string_view>& words) const;

  HashTable<Entry> entries_{600000};  // of words and of all their beginnings, by the hash of their bytes
  double log_total_ = 0;
  ChineseHmm hmm_;
};

}  // namespace sz::text
