#include "unit.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <cstring>

namespace zero3 {

Unit::Unit(const UnitPlan& plan, const ModelSpec& model, int rank, int ranks, Keeps keeps, size_t states)
    : plan_(plan),
      keeps_(keeps),
      whole_elements_(plan.shard * ranks),
      ranges_(ranges_of(plan, model, rank)),
      storage_(make_storage()) {
  const c10::AutoGradMode no_graph(false);
  if (keeps.parameters) {
    bring_back(storage_, allocate(whole_bytes()), whole_bytes());
    std::memset(storage_.mutable_data(), 0, size_t(whole_bytes()));
  }
  whole_ = view_of(storage_, plan.dtypes.compute, 0, {whole_elements_});
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const ParameterSpec& spec = model.parameters[size_t(plan.parameters[i])];
    views_.push_back(view_of(storage_, plan.dtypes.compute, plan.offsets[i], spec.shape));
    views_.back().set_requires_grad(plan.trainable);
  }
  if (keeps.parameters) compute_shard_ = whole_.narrow(0, rank * plan.shard, plan.shard);
  master_ = keeps.parameters && !mixed() ? compute_shard_ : zeros(plan.shard, SZ_F32);
  if (!keeps.parameters) compute_shard_ = mixed() ? zeros(plan.shard, plan.dtypes.compute) : master_;
  if (!plan.trainable) return;
  gradient_ = zeros(keeps.gradient ? whole_elements_ : plan.shard, plan.dtypes.accumulate);
  gradient_shard_ = keeps.gradient ? gradient_.narrow(0, rank * plan.shard, plan.shard) : gradient_;
  for (size_t i = 0; i < states; ++i) states_.push_back(zeros(plan.shard, SZ_F32));
}

sz_update_unit Unit::to_update(std::vector<float*>& state_pointers) const {
  state_pointers.clear();
  for (const at::Tensor& state : states_) state_pointers.push_back(state.data_ptr<float>());
  sz_update_unit unit = {};
  unit.struct_size = sizeof(unit);
  unit.decay = plan_.decay ? 1 : 0;
  unit.name = plan_.name.c_str();
  unit.numel = plan_.shard;
  unit.master = master_.data_ptr<float>();
  unit.gradient = gradient_shard_.data_ptr();
  unit.gradient_dtype = plan_.dtypes.accumulate;
  unit.mirror_dtype = plan_.dtypes.compute;
  unit.mirror = mixed() ? compute_shard() : nullptr;
  unit.state_count = state_pointers.size();
  unit.state = state_pointers.data();
  unit.range_count = ranges_.size();
  unit.ranges = ranges_.data();
  return unit;
}

void Unit::recast() const {
  if (mixed()) compute_shard_.copy_(master_);
}

void Unit::mark_stable() {
  if (!plan_.trainable) return;  // never changes
  if (stable_.empty()) {
    for (size_t i = 0; i <= states_.size(); ++i) stable_.push_back(empty(plan_.shard, SZ_F32));
  }
  stable_[0].copy_(master_);
  for (size_t i = 0; i < states_.size(); ++i) stable_[i + 1].copy_(states_[i]);
}

void Unit::restore() {
  if (!plan_.trainable) return;
  master_.copy_(stable_.at(0));
  for (size_t i = 0; i < states_.size(); ++i) states_[i].copy_(stable_[i + 1]);
  recast();
}

void Unit::arrived(at::DataPtr bytes) {
  bring_back(storage_, std::move(bytes), whole_bytes());
  here_ = true;
}

void Unit::let_go() {
  zero3::let_go(storage_);
  here_ = false;
}

}  // namespace zero3
