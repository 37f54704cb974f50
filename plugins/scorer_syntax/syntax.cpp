#include "scorer_syntax/syntax.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "text/utf8.h"

namespace sz::scorers {
namespace {

constexpr double kLargestExponent = 20;
constexpr size_t kFragmentWords = 15;  // up to which words may stay outside the tree
constexpr size_t kMostBytes = 4096;    // what has few words and more bytes is no sentence
constexpr size_t kMostClauses = 8;     // of one sentence: further ones would hardly change the maximum

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

// What link-grammar and UDPipe find on average in sentences of that length (fitted to prose, verse and manuals).
double estimated_levels(const text::SentencePiece& piece) {
  const double length = std::log1p(double(piece.words));
  return std::max(1.0, 3 * piece.scripts.han >= piece.scripts.latin && piece.scripts.han > 0 ? 2.4 * length - 1
                                                                                            : 3.8 * length - 2.5);
}

}  // namespace

const char* const kSyntaxRouteNames[] = {"english", "chinese", "mixed", "other", "empty", "estimated", nullptr};

double length_penalty(double words, double free_words, double tau) {
  return std::exp(std::min(std::max(0.0, words - free_words) / tau, kLargestExponent));
}

SyntaxScorer::SyntaxScorer(std::unique_ptr<DepthParser> english, std::unique_ptr<DepthParser> chinese,
                           SyntaxOptions options)
    : english_(std::move(english)), chinese_(std::move(chinese)), options_(options),
      folding_(text::Folding::traditional_to_simplified()) {}

std::optional<double> SyntaxScorer::parse(const text::SentencePiece& piece, bool fragment) const {
  if (piece.text.size() > kMostBytes || text::route_of(piece.scripts) == text::Route::kOther) return std::nullopt;
  const bool mostly_han = 3 * piece.scripts.han >= piece.scripts.latin;
  if (mostly_han) return chinese_->depth(with_chinese_marks(piece.text), fragment);
  return english_->depth(piece.text, fragment);
}

// As a whole; where that fails by clauses, each of them by shorter clauses; at last by its length.
SyntaxScorer::Depth SyntaxScorer::depth_of(const text::SentencePiece& piece) const {
  const bool parseable = piece.words <= size_t(options_.max_words), fragment = piece.words <= kFragmentWords;
  if (parseable) {
    if (const auto levels = parse(piece, fragment)) {
      ++parsed_;
      return {*levels, false};
    }
  }
  std::vector<text::SentencePiece> clauses;
  if (!fragment) clauses = text::split_clauses(piece, parseable ? kFragmentWords : size_t(options_.max_words));
  if (clauses.size() < 2) {
    ++estimated_;
    return {estimated_levels(piece), true};
  }
  Depth deepest;
  for (size_t i = 0; i < std::min(clauses.size(), kMostClauses); ++i) {
    const Depth depth = depth_of(clauses[i]);
    deepest.levels = std::max(deepest.levels, depth.levels);
    deepest.estimated |= depth.estimated;
  }
  deepest.levels += 1;
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
