// Plans ahead of their use: made on the main thread from the sampler's state, loaded by the loader's thread. What is
// saved is the state of the last plan that was *consumed*; a rollback drops the rest.
#pragma once
#include <deque>
#include <memory>
#include <string>

#include "data/batches.h"
#include "train/slots.h"

namespace sz {

class PlanFeed {
 public:
  struct Step {
    Plan plan;
    int micro_batches = 0;
    int64_t tokens = 0;  // labels that count, over all ranks
  };

  // `ahead`: plans kept queued beyond the one in use, at least 0.
  PlanFeed(const Sampler& sampler, std::shared_ptr<const Source> source, BatchLoaderOptions options, int ahead);

  // Starts over from a sampler state.
  void reset(const std::string& state);
  // The next plan. Its micro-batches follow from next_batch(): all must be taken before the next call.
  Step next();
  MicroBatch next_batch() { return loader_.next(); }
  // The state after the plan in use: what a checkpoint saves once its step is done.
  const std::string& consumed_state() const { return consumed_; }

 private:
  struct Planned {
    Step step;
    std::string state_after;
  };
  void fill();

  const Sampler& sampler_;
  std::shared_ptr<const Source> source_;
  BatchLoaderOptions options_;
  size_t ahead_;
  BatchLoader loader_;
  std::deque<Planned> queue_;
  std::string consumed_, planned_;
  uint64_t revision_ = 0;
};

}  // namespace sz
