#include "scorer_tfidf/tfidf.h"

namespace sz::scorers {

Tfidf::Tfidf(std::shared_ptr<const text::WordSplitter> splitter, TfidfOptions options)
    : splitter_(std::move(splitter)), options_(std::move(options)), counting_(options_.max_terms) {}

void Tfidf::add_document(std::string_view text) {
  std::vector<std::string> terms;
  const auto words = splitter_->split(text);
  for (const text::Word& word : words->words) terms.push_back(text::term_of(word));
  counting_.add(terms);
}

void Tfidf::finish_counting() {
  idf_ = IdfTable(std::move(counting_));
  counting_ = DocumentFrequencies(options_.max_terms);
}

double Tfidf::weight(text::PartOfSpeech part) const {
  if (part == text::PartOfSpeech::kNoun) return options_.noun_weight;
  return part == text::PartOfSpeech::kVerb ? options_.verb_weight : options_.other_weight;
}

TextScore Tfidf::score(std::string_view text) const {
  const auto words = splitter_->split_and_tag(text);
  TextScore score;
  score.route = text::route_of(words->scripts);
  double sum = 0;
  size_t length = 0;
  for (const text::Word& word : words->words) {
    const std::string term = text::term_of(word);
    if (options_.stop_words.contains(term)) continue;
    sum += idf_.idf(term) * weight(word.part);
    ++length;
  }
  if (length > 0) score.value = sum / double(length);
  return score;
}

}  // namespace sz::scorers
