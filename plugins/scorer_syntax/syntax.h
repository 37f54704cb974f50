// How deeply a text's sentences nest:
//
//   score(d) = mean over its parsed sentences s:  depth(s) * exp(min(max(0, words(s) - free) / tau, 20))
//
// At most `sentences` of a text are parsed: those whose lengths lie in the middle of as many equal shares of all, so
// that a text's odd longest or shortest sentence doesn't decide. Each sentence goes to the parser of its script. One
// longer than `max_words`, or that has no analysis as a whole, is parsed clause by clause; the deepest counts, and one
// level more for being joined. Where a parser gives up on a clause, or there is none for the script, the depth is
// estimated from the length. A text without letters scores 0.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scorer_syntax/depth_parser.h"
#include "text/fold.h"
#include "text/script.h"
#include "text/sentences.h"

namespace sz::scorers {

struct SyntaxOptions {
  int64_t sentences = 2;     // of a text that are parsed at most
  double free_words = 20;    // the length up to which there is no penalty
  double tau = 30;           // words more that multiply by e
  int64_t max_words = 40;    // of what a parser is given as a whole
};

// Routes of texts: text::Route, and after them those where any depth was estimated.
inline constexpr uint32_t kEstimatedRoute = 5;
extern const char* const kSyntaxRouteNames[];

struct SyntaxScore {
  double value = 0;
  uint32_t route = uint32_t(text::Route::kEmpty);
};

// Thread: any, once made.
class SyntaxScorer {
 public:
  SyntaxScorer(std::unique_ptr<DepthParser> english, std::unique_ptr<DepthParser> chinese, SyntaxOptions options);

  SyntaxScore score(std::string_view text) const;

  // Since it was made: sentences parsed, and those whose depth was estimated.
  uint64_t parsed() const { return parsed_; }
  uint64_t estimated() const { return estimated_; }

 private:
  struct Depth {
    double levels = 0;
    bool estimated = false;
  };
  Depth depth_of(const text::SentencePiece& piece) const;
  std::optional<double> parse(const text::SentencePiece& piece, bool fragment) const;

  std::unique_ptr<DepthParser> english_, chinese_;
  SyntaxOptions options_;
  text::Folding folding_;
  mutable std::atomic<uint64_t> parsed_ = 0, estimated_ = 0;
};

// Finite for any length.
double length_penalty(double words, double free_words, double tau);

}  // namespace sz::scorers
