// How rare a text's words are:
//
//   score(d) = sum over terms t of d:  tf(t, d) * idf(t) * weight(part of speech of t)  /  len(d)
//
// tf counts occurrences, each weighed by its own part of speech; len(d) is the number of words that count. A document
// without any such word (empty, nothing but punctuation or stop words) scores 0.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scorer_tfidf/idf_table.h"
#include "text/words.h"

namespace sz::scorers {

struct TfidfOptions {
  double noun_weight = 1.2, verb_weight = 1.0, other_weight = 1.0;
  std::set<std::string> stop_words;  // terms that don't count; none by default, since idf makes frequent words light
  size_t max_terms = 2000000;        // of the table that is counted
};

struct TextScore {
  double value = 0;
  text::Route route = text::Route::kEmpty;
};

// Thread: fit() one at a time; score() any, at once.
class Tfidf {
 public:
  Tfidf(std::shared_ptr<const text::WordSplitter> splitter, TfidfOptions options);

  void add_document(std::string_view text);  // of the corpus that is counted
  void finish_counting();
  void use_table(IdfTable table) { idf_ = std::move(table); }

  TextScore score(std::string_view text) const;
  double idf(const std::string& term) const { return idf_.idf(term); }

 private:
  double weight(text::PartOfSpeech part) const;

  std::shared_ptr<const text::WordSplitter> splitter_;
  TfidfOptions options_;
  DocumentFrequencies counting_;
  IdfTable idf_;
};

}  // namespace sz::scorers
