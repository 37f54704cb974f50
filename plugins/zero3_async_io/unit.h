// One unit on one rank: this rank's shard of everything, and the whole parameters while they are there.
#pragma once
#include <optional>
#include <vector>

#include <sz/comm.hpp>

#include "layout.h"
#include "memory.h"

namespace zero3 {

// What is held whole on every rank, besides shards of everything else.
struct Keeps {
  bool parameters = false, gradient = false;
};

class Unit {
 public:
  // Everything is zero. `states`: the optimizer's arrays.
  Unit(const UnitPlan& plan, const ModelSpec& model, int rank, int ranks, Keeps keeps, size_t states);

  const UnitPlan& plan() const { return plan_; }
  const Keeps& keeps() const { return keeps_; }
  const std::vector<sz_param_range>& ranges() const { return ranges_; }
  bool mixed() const { return plan_.dtypes.compute != SZ_F32; }

  // Parameters as segments see them, by slot; their bytes are there while here().
  const at::Tensor& view(int slot) const { return views_[size_t(slot)]; }
  int64_t whole_elements() const { return whole_elements_; }
  int64_t whole_bytes() const { return whole_elements_ * size_of(plan_.dtypes.compute); }
  int64_t shard_bytes() const { return plan_.shard * size_of(plan_.dtypes.compute); }
  void* compute_shard() const { return compute_shard_.data_ptr(); }  // what the ranks gather
  void* whole_data() const { return whole_.data_ptr(); }             // while here()

  const at::Tensor& master() const { return master_; }
  const at::Tensor& gradient() const { return gradient_; }              // of the accumulate dtype: the shard, or whole
  const at::Tensor& gradient_shard() const { return gradient_shard_; }
  at::Tensor& state(size_t i) { return states_[i]; }
  size_t state_count() const { return states_.size(); }
  sz_update_unit to_update(std::vector<float*>& state_pointers) const;  // points into both

  void recast() const;  // the compute shard from the master
  void mark_stable();   // copies of master and states
  void restore();       // from them; the whole parameters are not gathered yet

  // Whole parameters of a sharded unit: away, on their way, here.
  bool here() const { return keeps_.parameters || here_; }
  bool away() const { return !here() && !coming; }
  void arrived(at::DataPtr bytes);
  void let_go();

  struct Gather {
    at::DataPtr bytes;
    sz::Work work;  // waits before the bytes go
  };
  int in_use = 0;  // segments between acquire and release

 private:
  UnitPlan plan_;
  Keeps keeps_;
  int64_t whole_elements_ = 0;
  std::vector<sz_param_range> ranges_;
  c10::Storage storage_;  // of whole_ and views_
  at::Tensor whole_, compute_shard_, master_, gradient_, gradient_shard_;
  std::vector<at::Tensor> views_, states_, stable_;
  bool here_ = false;

 public:
  std::optional<Gather> coming;  // last, so that it waits while the shard that it sends is there
};

}  // namespace zero3
