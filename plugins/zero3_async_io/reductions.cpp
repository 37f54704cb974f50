#include "reductions.h"

#include <utility>

namespace zero3 {

Reductions::Reductions(sz::Host host, std::vector<std::unique_ptr<Unit>>& units, Options options)
    : comm_(host), units_(units), options_(options), collected_(units.size()) {
  for (size_t u = 0; u < units.size(); ++u) {
    if (units[u]->plan().trainable && local(*units[u])) collected_[u].whole = units[u]->gradient();
  }
}

void Reductions::begin_step() {
  for (size_t u = 0; u < units_.size(); ++u) {
    const UnitPlan& plan = units_[u]->plan();
    collected_[u].touched.assign(plan.parameters.size(), false);
    collected_[u].missing_users = int(plan.users.size());
    collected_[u].reduced = false;
  }
}

// The first gradient is copied, so that the buffer needs no clearing.
void Reductions::add(int u, int slot, const at::Tensor& gradient) {
  if (!gradient.defined()) return;
  const Unit& unit = *units_[size_t(u)];
  const UnitPlan& plan = unit.plan();
  Collected& collected = collected_[size_t(u)];
  if (!collected.whole.defined()) {
    // A shared set sums its users' gradients here, before it is sent.
    const bool shared = plan.users.size() > 1;
    collected.whole = empty(unit.whole_elements(), shared ? plan.dtypes.accumulate : plan.dtypes.wire);
  }
  const int64_t numel = gradient.numel();
  at::Tensor into = collected.whole.narrow(0, plan.offsets[size_t(slot)], numel).view(gradient.sizes());
  if (collected.touched[size_t(slot)]) {
    into.add_(gradient);
  } else {
    into.copy_(gradient);
    collected.touched[size_t(slot)] = true;
  }
}

void Reductions::user_done(int u, bool last_micro_batch) {
  const Unit& unit = *units_[size_t(u)];
  Collected& collected = collected_[size_t(u)];
  if (!unit.plan().trainable || --collected.missing_users > 0) return;
  collected.missing_users = int(unit.plan().users.size());
  if (!local(unit)) return post_reduce_scatter(size_t(u));
  if (!last_micro_batch) return;
  zero_what_is_untouched(unit, collected);
  if (comm_.size() > 1) post_all_reduce(size_t(u));
}

// Parameters without a gradient, the gaps between parameters, and the tail.
void Reductions::zero_what_is_untouched(const Unit& unit, Collected& collected) const {
  const UnitPlan& plan = unit.plan();
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const int64_t begin = plan.offsets[i] + (collected.touched[i] ? unit.view(int(i)).numel() : 0);
    const int64_t end = i + 1 < plan.parameters.size() ? plan.offsets[i + 1] : unit.whole_elements();
    if (begin < end) collected.whole.narrow(0, begin, end - begin).zero_();
  }
}

void Reductions::post_all_reduce(size_t u) {
  const Unit& unit = *units_[u];
  const uint32_t wire = unit.plan().dtypes.wire;
  at::Tensor sent = unit.gradient().to(to_torch(wire));  // itself where the dtype is the same
  sz::Work work = comm_.all_reduce(SZ_CHANNEL_REDUCE, sent.data_ptr(), uint64_t(sent.numel()), wire);
  post({u, sent, sent, true, std::move(work)});
}

void Reductions::post_reduce_scatter(size_t u) {
  const Unit& unit = *units_[u];
  const sz_parameter_dtypes& dtypes = unit.plan().dtypes;
  Collected& collected = collected_[u];
  if (!collected.whole.defined()) collected.whole = empty(unit.whole_elements(), dtypes.wire);
  zero_what_is_untouched(unit, collected);
  at::Tensor sent = std::exchange(collected.whole, at::Tensor()).to(to_torch(dtypes.wire));
  collected.touched.assign(collected.touched.size(), false);
  const bool first = !std::exchange(collected.reduced, true);
  const bool direct = first && dtypes.wire == dtypes.accumulate;
  at::Tensor received = direct ? unit.gradient() : empty(unit.plan().shard, dtypes.wire);
  sz::Work work = comm_.reduce_scatter(SZ_CHANNEL_REDUCE, sent.data_ptr(), received.data_ptr(),
                                       uint64_t(unit.plan().shard), dtypes.wire);
  post({u, sent, received, first, std::move(work)});
}

void Reductions::post(Posted posted) {
  posted_.push_back(std::move(posted));
  const size_t may_live = options_.overlap ? options_.in_flight : 0;
  while (posted_.size() > may_live || (!posted_.empty() && posted_.front().work.done())) take_oldest();
}

void Reductions::take_oldest() {
  Posted& oldest = posted_.front();
  waits.wait(oldest.work);
  const at::Tensor& gradient = units_[oldest.unit]->gradient();
  if (oldest.received.data_ptr() != gradient.data_ptr()) {
    at::Tensor into = gradient;
    oldest.first ? into.copy_(oldest.received) : into.add_(oldest.received);
  }
  posted_.pop_front();
}

void Reductions::finish() {
  while (!posted_.empty()) take_oldest();
}

}  // namespace zero3
