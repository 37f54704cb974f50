#include "scorer_embed/embed.h"

#include <algorithm>

#include "scorer_embed/kmeans.h"

namespace sz::scorers {

EmbedScorer::EmbedScorer(std::shared_ptr<const SentenceEncoder> encoder, Direction direction)
    : encoder_(std::move(encoder)), direction_(direction) {}

void EmbedScorer::set_concepts(const std::vector<std::string>& texts) {
  concepts_.clear();
  for (const std::string& text : texts) {
    Vector concept_vector = encoder_->encode(text);
    if (!concept_vector.empty()) concepts_.push_back(std::move(concept_vector));
  }
}

// Every text at first; whenever the sample is full, every second of it goes, and from then on half as many come.
void EmbedScorer::add_document(std::string_view text) {
  if (seen_++ % every_ != 0) return;
  if (sample_.size() == kSample) {
    for (size_t i = 0; i < kSample / 2; ++i) sample_[i] = std::move(sample_[2 * i]);
    sample_.resize(kSample / 2);
    every_ *= 2;
    if ((seen_ - 1) % every_ != 0) return;
  }
  sample_.push_back(encoder_->encode(text));
}

void EmbedScorer::find_centres(size_t count, uint64_t seed) {
  std::erase_if(sample_, [](const Vector& vector) { return vector.empty(); });
  concepts_ = cluster_centres(sample_, count, seed);
  sample_ = {};
  seen_ = 0;
  every_ = 1;
}

EmbedScore EmbedScorer::score(std::string_view text) const {
  EmbedScore score;
  score.route = text::route_of(text::count_scripts(text));
  const Vector vector = encoder_->encode(text);
  if (vector.empty()) return score;
  double nearest = concepts_.empty() ? 0 : -1;
  for (const Vector& concept_vector : concepts_) nearest = std::max(nearest, dot(vector, concept_vector));
  nearest = std::clamp(nearest, -1.0, 1.0);
  score.value = direction_ == Direction::kFarIsHard ? 1 - nearest : 1 + nearest;
  return score;
}

}  // namespace sz::scorers
