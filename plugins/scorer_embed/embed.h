// How far a text's meaning lies from the core concepts.
//
//   far is hard:   1 - cos(text, nearest concept)       near is hard:   1 + cos(text, nearest concept)
//
// both in [0, 2]. A text with nothing to encode scores 0.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scorer_embed/encoder.h"
#include "text/script.h"

namespace sz::scorers {

enum class Direction : uint8_t { kFarIsHard, kNearIsHard };

struct EmbedScore {
  double value = 0;
  text::Route route = text::Route::kEmpty;
};

// Thread: what sets concepts one at a time, before the first score; score() any.
class EmbedScorer {
 public:
  EmbedScorer(std::shared_ptr<const SentenceEncoder> encoder, Direction direction);

  void set_concepts(const std::vector<std::string>& texts);
  // For centres of a corpus: an even sample of at most kSample of its texts is kept as they come.
  static constexpr size_t kSample = 1000;
  void add_document(std::string_view text);
  void find_centres(size_t count, uint64_t seed);

  size_t concepts() const { return concepts_.size(); }
  EmbedScore score(std::string_view text) const;

 private:
  std::shared_ptr<const SentenceEncoder> encoder_;
  Direction direction_;
  std::vector<Vector> concepts_;
  std::vector<Vector> sample_;
  uint64_t seen_ = 0, every_ = 1;
};

}  // namespace sz::scorers
