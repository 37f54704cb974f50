#include "train/plan_feed.h"

namespace sz {

PlanFeed::PlanFeed(const Sampler& sampler, std::shared_ptr<const Source> source, BatchLoaderOptions options, int ahead)
    : sampler_(sampler), source_(source), options_(options), ahead_(size_t(ahead)), loader_(source, options) {
  reset(sampler.initial_state());
}

void PlanFeed::reset(const std::string& state) {
  loader_.drop();
  queue_.clear();
  consumed_ = planned_ = state;
  revision_ = sampler_.revision();
}

void PlanFeed::fill() {
  while (queue_.size() <= ahead_) {
    Planned planned;
    std::tie(planned.step.plan, planned.state_after) = sampler_.plan(planned_);
    planned_ = planned.state_after;
    planned.step.micro_batches = int(micro_batch_count(int64_t(planned.step.plan.size()), options_.slicing));
    planned.step.tokens = count_tokens(*source_, options_.split, planned.step.plan);
    loader_.push(planned.step.plan);
    queue_.push_back(std::move(planned));
  }
}

PlanFeed::Step PlanFeed::next() {
  if (sampler_.revision() != revision_) reset(consumed_);
  fill();
  Planned planned = std::move(queue_.front());
  queue_.pop_front();
  consumed_ = planned.state_after;
  return std::move(planned.step);
}

}  // namespace sz
