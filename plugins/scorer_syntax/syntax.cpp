#include "scorer_syntax/syntax.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "text/utf8.h"

namespace sz::scorers {
namespace {

constexpr double kLargestExponent = 20;

// A parser of Chinese knows Chinese punctuation; folding made ASCII of it.
std::string with_chinese_marks(const std::string& folded) {
  std::string out;
  for (size_t at = 0; at < folded.size();) {
    const text::Decoded next = text::decode(folded, at);
    const bool mark = std::string_view(",;:!?()").find(folded[at]) != std::string_view::npos;
    text::append(out, mark && next.bytes == 1 ? next.code_point + 0xFEE0 : next.code_point);
    at += next.bytes;
  }
  return out;
}

// Indices of at most `count` sentences: by length, the middle one of each of `count` equal shares.
std::vector<size_t> representative(const std::vector<text::SentencePiece>& sentences, size_t count) {
  std::vector<size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sentences[a].words < sentences[b].words; });
  if (order.size() <= count) return order;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < count; ++i) chosen.push_back(order[(2 * i + 1) * order.size() / (2 * count)]);
  return chosen;
}

// About what the parsers find on average; for what they can't parse.
double estimated_levels(double words) { return 1 + 1.7 * std::log1p(words); }

}  // namespace

const char* const kSyntaxRouteNames[] = {"english", "chinese", "mixed", "other", "empty", "estimated", nullptr};

double length_penalty(double words, double free_words, double tau) {
  return std::exp(std::min(std::max(0.0, words - free_words) / tau, kLargestExponent));
}

SyntaxScorer::SyntaxScorer(std::unique_ptr<DepthParser> english, std::unique_ptr<DepthParser> chinese,
                           SyntaxOptions options)
    : english_(std::move(english)), chinese_(std::move(chinese)), options_(options),
      folding_(text::Folding::traditional_to_simplified()) {}

SyntaxScorer::Depth SyntaxScorer::depth_of_clause(const text::SentencePiece& clause) const {
  const text::Route route = text::route_of(clause.scripts);
  const bool mostly_han = 3 * clause.scripts.han >= clause.scripts.latin;
  std::optional<double> levels;
  if (route != text::Route::kOther) {
    levels = mostly_han ? chinese_->depth(with_chinese_marks(clause.text)) : english_->depth(clause.text);
  }
  ++(levels ? parsed_ : estimated_);
  if (levels) return {*levels, false};
  return {estimated_levels(double(clause.words)), true};
}

SyntaxScorer::Depth SyntaxScorer::depth_of(const text::SentencePiece& sentence) const {
  const auto clauses = text::split_clauses(sentence, size_t(options_.max_words));
  Depth deepest;
  // What a parser sees of one sentence is bounded too: clauses beyond the eighth would hardly change the maximum.
  constexpr size_t kMostClauses = 8;
  for (size_t i = 0; i < std::min(clauses.size(), kMostClauses); ++i) {
    const Depth depth = depth_of_clause(clauses[i]);
    deepest.levels = std::max(deepest.levels, depth.levels);
    deepest.estimated |= depth.estimated;
  }
  if (clauses.size() > 1) deepest.levels += 1;
  return deepest;
}

SyntaxScore SyntaxScorer::score(std::string_view text) const {
  const std::string folded = folding_.fold(text);
  SyntaxScore score;
  score.route = uint32_t(text::route_of(text::count_scripts(folded)));
  const std::vector<text::SentencePiece> sentences = text::split_sentences(folded);
  const std::vector<size_t> chosen = representative(sentences, size_t(options_.sentences));
  if (chosen.empty()) return score;
  for (const size_t i : chosen) {
    const Depth depth = depth_of(sentences[i]);
    score.value += depth.levels * length_penalty(double(sentences[i].words), options_.free_words, options_.tau);
    if (depth.estimated) score.route = kEstimatedRoute;
  }
  score.value /= double(chosen.size());
  return score;
}

}  // namespace sz::scorers
