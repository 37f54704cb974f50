#include "train/shuffle_sampler.h"

#include <algorithm>

#include "base/error.h"
#include "data/sampler_order.h"

namespace sz {
namespace {

// State: how many samples of the run's data order were planned so far, as decimal text: it keeps its meaning when the
// number of ranks, and with it the global batch, changes.
class ShuffleSampler final : public Sampler {
 public:
  std::string name() const override { return "shuffle"; }
  void setup(const SamplerSetup& setup) override {
    SZ_ASSERT(setup.samples > 0 && setup.global_batch > 0);
    setup_ = setup;
  }
  std::string initial_state() const override { return "0"; }

  std::pair<Plan, std::string> plan(const std::string& state) const override {
    const int64_t planned = std::stoll(state);
    const int64_t epoch = planned / setup_.samples;
    const std::vector<int64_t>& order = order_of(epoch);
    const int64_t begin = planned % setup_.samples;
    const int64_t end = std::min(setup_.samples, begin + setup_.global_batch);
    Plan plan;
    for (int64_t i = begin; i < end; ++i) {
      PlanItem item;
      item.sample = order[i];
      item.position = uint64_t(epoch) * uint64_t(setup_.samples) + uint64_t(i);
      plan.push_back(item);
    }
    return {std::move(plan), std::to_string(epoch * setup_.samples + end)};
  }

 private:
  const std::vector<int64_t>& order_of(int64_t epoch) const {
    if (epoch != cached_epoch_) {
      cached_order_ = epoch_order(setup_.samples, setup_.seed, epoch);
      cached_epoch_ = epoch;
    }
    return cached_order_;
  }

  SamplerSetup setup_;
  mutable int64_t cached_epoch_ = -1;
  mutable std::vector<int64_t> cached_order_;
};

}  // namespace

std::unique_ptr<Sampler> make_shuffle_sampler() { return std::make_unique<ShuffleSampler>(); }

}  // namespace sz
