// The service sz.optimizer/1.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "optim/update_unit.h"

namespace sz {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual std::string name() const = 0;
  // One fp32 array of the unit's size each, zero at first: {"exp_avg", "exp_avg_sq"}.
  virtual std::vector<std::string> state_names() const = 0;
  // False: needs whole matrices (a residency that splits parameters inside cannot serve it).
  virtual bool element_wise() const = 0;
  // One pass over the unit: unscale, clip, update, write the mirror. Thread: main.
  virtual void update(UpdateUnit& unit, const StepScalars& scalars) = 0;
};

}  // namespace sz
