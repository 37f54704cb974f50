// Which samples a plan takes: a pure function of the sampler's state and of the mixture in force.
//
// A pass has an order of all samples, a permutation of (seed, pass). Plans walk along it and take the samples at or
// below the threshold. When the threshold moves, the walk starts again at the front of the same order and leaves out
// what this pass has taken already, so that within a pass no eligible sample is left out or taken twice. What was taken
// needs no list of samples: it is told by how far each walk came, and at which threshold.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace curriculum {

// The first `end` places of the pass's order were walked at this threshold.
struct Walk {
  int64_t end = 0;
  double threshold = 0;
};

struct SamplerState {
  int64_t pass = 0;
  uint64_t position = 0;    // items planned so far: the place in the run's data order
  std::vector<Walk> walks;  // of this pass; the last one goes on

  std::string encode() const;
  static SamplerState decode(std::string_view bytes);  // Errors: std::runtime_error
};

enum class Kind : uint32_t { kPool = 0, kReview = 1, kHard = 2, kPerturbed = 4 };  // stands in the item's flags

struct Item {
  int64_t sample = 0;
  uint64_t position = 0;
  Kind kind = Kind::kPool;
  uint64_t seed = 0;  // of this item, whatever the rank
};

// What plans are made of besides the state. It changes only with a decision; plans made ahead are then made anew.
struct Mixture {
  double threshold = 1;
  double review_share = 0, adversarial_share = 0;  // of the items
  std::vector<int32_t> review, adversarial;        // samples, taken in turn; empty: none of them
};

class Pool {
 public:
  Pool(std::vector<double> difficulty, uint64_t seed);

  int64_t size() const { return int64_t(difficulty_.size()); }
  double difficulty(int64_t sample) const { return difficulty_[size_t(sample)]; }
  bool is_eligible(int64_t sample, double threshold) const;
  int64_t eligible(double threshold) const;
  // The lowest threshold, at least the one given, with `at_least` eligible samples (or all there are).
  double widened(double threshold, int64_t at_least) const;

  // The plan that follows `state`, which moves on: min(count, size()) items.
  std::vector<Item> plan(SamplerState& state, const Mixture& mixture, int64_t count) const;

 private:
  int64_t next_of_pool(SamplerState& state, double threshold) const;
  const std::vector<int32_t>& order_of(int64_t pass) const;

  std::vector<double> difficulty_, sorted_;
  uint64_t seed_;
  mutable int64_t cached_pass_ = -1;
  mutable std::vector<int32_t> cached_order_;
};

}  // namespace curriculum
