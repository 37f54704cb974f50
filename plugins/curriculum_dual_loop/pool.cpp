#include "pool.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bytes.h"
#include "random.h"

namespace curriculum {
namespace {

constexpr double kTolerance = 1e-9;  // a rank of 3 / 10 is at or below a threshold of 0.3

// Walks that another one contains say nothing; the last one always stays.
void drop_contained(std::vector<Walk>& walks) {
  const Walk last = walks.back();
  walks.pop_back();
  std::erase_if(walks, [&](const Walk& walk) { return walk.end <= last.end && walk.threshold <= last.threshold; });
  walks.push_back(last);
}

bool taken_before(const std::vector<Walk>& walks, int64_t place, double difficulty) {
  return std::any_of(walks.begin(), walks.end() - 1, [&](const Walk& walk) {
    return place < walk.end && difficulty <= walk.threshold + kTolerance;
  });
}

// Spreads shares evenly over positions: how many of the first n items belong to the share.
int64_t of_first(uint64_t n, double share) { return int64_t(std::floor(double(n) * share + kTolerance)); }

}  // namespace

std::string SamplerState::encode() const {
  Writer out;
  out.put(pass);
  out.put(position);
  out.put_list(walks);
  return out.take();
}

SamplerState SamplerState::decode(std::string_view bytes) {
  Reader in(bytes);
  SamplerState state;
  state.pass = in.get<int64_t>();
  state.position = in.get<uint64_t>();
  state.walks = in.get_list<Walk>();
  in.end();
  return state;
}

Pool::Pool(std::vector<double> difficulty, uint64_t seed) : difficulty_(std::move(difficulty)), seed_(seed) {
  if (difficulty_.empty()) throw std::runtime_error("there are no training samples");
  if (difficulty_.size() > size_t(INT32_MAX)) throw std::runtime_error("more than 2^31 training samples");
  sorted_ = difficulty_;
  std::sort(sorted_.begin(), sorted_.end());
}

bool Pool::is_eligible(int64_t sample, double threshold) const {
  return difficulty_[size_t(sample)] <= threshold + kTolerance;
}

int64_t Pool::eligible(double threshold) const {
  return std::upper_bound(sorted_.begin(), sorted_.end(), threshold + kTolerance) - sorted_.begin();
}

double Pool::widened(double threshold, int64_t at_least) const {
  if (eligible(threshold) >= std::min(at_least, size())) return threshold;
  return std::max(threshold, sorted_[size_t(std::min(at_least, size()) - 1)]);
}

std::vector<Item> Pool::plan(SamplerState& state, const Mixture& mixture, int64_t count) const {
  const double review = mixture.review.empty() ? 0 : mixture.review_share;
  const double adversarial = mixture.adversarial.empty() ? 0 : mixture.adversarial_share;
  const double special = review + adversarial;
  std::vector<Item> items;
  for (int64_t i = 0; i < std::min(count, size()); ++i) {
    Item item;
    item.position = state.position++;
    item.seed = mix(seed_, item.position);
    const int64_t s = of_first(item.position, special);
    if (special == 0 || of_first(item.position + 1, special) == s) {
      item.sample = next_of_pool(state, mixture.threshold);
    } else if (const int64_t r = of_first(uint64_t(s), review / special);
               of_first(uint64_t(s) + 1, review / special) > r) {
      item.kind = Kind::kReview;
      item.sample = mixture.review[size_t(r) % mixture.review.size()];
    } else {
      const int64_t a = s - r;  // every other one as it is, every other one perturbed
      item.kind = a % 2 == 0 ? Kind::kHard : Kind::kPerturbed;
      item.sample = mixture.adversarial[size_t(a / 2) % mixture.adversarial.size()];
    }
    items.push_back(item);
  }
  return items;
}

int64_t Pool::next_of_pool(SamplerState& state, double threshold) const {
  if (eligible(threshold) == 0) throw std::runtime_error("no sample lies at or below the difficulty threshold");
  if (state.walks.empty() || state.walks.back().threshold != threshold) state.walks.push_back({0, threshold});
  for (;;) {
    const std::vector<int32_t>& order = order_of(state.pass);
    Walk& walk = state.walks.back();
    while (walk.end < size()) {
      const int64_t place = walk.end++;
      const int64_t sample = order[size_t(place)];
      if (!is_eligible(sample, threshold) || taken_before(state.walks, place, difficulty(sample))) continue;
      drop_contained(state.walks);
      return sample;
    }
    ++state.pass;
    state.walks = {{0, threshold}};
  }
}

const std::vector<int32_t>& Pool::order_of(int64_t pass) const {
  if (pass != cached_pass_) {
    cached_order_ = permutation(size(), mix(seed_, 0x70617373u + uint64_t(pass)));
    cached_pass_ = pass;
  }
  return cached_order_;
}

}  // namespace curriculum
