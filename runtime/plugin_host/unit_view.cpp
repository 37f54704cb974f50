#include "plugin_host/unit_view.h"

#include "base/error.h"
#include "plugin_host/arguments.h"
#include "plugin_host/dtype_map.h"

namespace sz {

UnitView::UnitView(const UpdateUnit& unit) {
  for (const ParamRange& range : unit.ranges) {
    ranges_.push_back({range.parameter, range.unit_offset, range.param_offset, range.count});
  }
  view_ = {sizeof(sz_update_unit),
           unit.decay ? 1u : 0u,
           unit.name.c_str(),
           unit.numel,
           unit.master,
           unit.gradient,
           sz_dtype(unit.gradient_dtype),
           sz_dtype(unit.mirror_dtype),
           unit.mirror,
           unit.state.size(),
           unit.state.data(),
           ranges_.size(),
           ranges_.data()};
}

sz_step_scalars to_step_scalars(const StepScalars& scalars) {
  return {sizeof(sz_step_scalars), 0, scalars.step, scalars.lr, scalars.multiplier};
}

UpdateUnit to_unit(const sz_update_unit& from) {
  require_size(from.struct_size, sizeof(sz_update_unit), "unit");
  UpdateUnit unit;
  unit.name = required_text(from.name, "unit.name");
  require_pointer(from.master, "unit.master");
  require_pointer(from.gradient, "unit.gradient");
  if (from.state_count > 0) require_pointer(from.state, "unit.state");
  if (from.range_count > 0) require_pointer(from.ranges, "unit.ranges");
  unit.numel = from.numel;
  unit.master = from.master;
  unit.gradient = from.gradient;
  unit.gradient_dtype = to_dtype(from.gradient_dtype);
  unit.mirror = from.mirror;
  unit.mirror_dtype = to_dtype(from.mirror_dtype);
  unit.decay = from.decay != 0;
  unit.state.assign(from.state, from.state + from.state_count);
  for (uint64_t i = 0; i < from.range_count; ++i) {
    const sz_param_range& range = from.ranges[i];
    if (range.unit_offset < 0 || range.count < 0 || range.unit_offset + range.count > from.numel) {
      throw Error(Exit::kPlugin, unit.name + ": a range lies outside the unit");
    }
    unit.ranges.push_back({int(range.parameter), range.unit_offset, range.param_offset, range.count});
  }
  return unit;
}

}  // namespace sz
