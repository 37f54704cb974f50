// Update units and step scalars as C structs, and back.
#pragma once
#include <sz/unit.h>

#include <vector>

#include "optim/update_unit.h"

namespace sz {

// Points into the unit and into itself.
class UnitView {
 public:
  explicit UnitView(const UpdateUnit& unit);
  const sz_update_unit* lend() const { return &view_; }

 private:
  std::vector<sz_param_range> ranges_;
  sz_update_unit view_{};
};

sz_step_scalars to_step_scalars(const StepScalars& scalars);

// Errors: Error(kPlugin) for what makes no sense.
UpdateUnit to_unit(const sz_update_unit& from);

}  // namespace sz
