#include "data/sampler_order.h"

#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/rng.h"

namespace sz {

std::vector<int64_t> epoch_order(int64_t n, uint64_t seed, uint64_t epoch) {
  SZ_ASSERT(n >= 0);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t(0));
  RandomStream random(mix(seed, epoch));
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(i)]);
  }
  return order;
}

SampleOrder::SampleOrder(int64_t n, uint64_t seed) : n_(n), seed_(seed) { SZ_ASSERT(n > 0); }

int64_t SampleOrder::at(uint64_t position) {
  const uint64_t epoch = position / static_cast<uint64_t>(n_);
  if (order_.empty() || epoch != epoch_) {
    order_ = epoch_order(n_, seed_, epoch);
    epoch_ = epoch;
  }
  return order_[position % static_cast<uint64_t>(n_)];
}

}  // namespace sz
