// The services sz.optimizer/1 and sz.schedule/1.
#pragma once
#include <sz/plugin.hpp>
#include <sz/services.h>

namespace sz::inline sdk {

class Optimizer {
 public:
  static constexpr const char* kService = SZ_OPTIMIZER;
  virtual ~Optimizer() = default;
  virtual void update(const sz_update_unit& unit, const sz_step_scalars& scalars) = 0;

  // How to answer provide(): `state_names` is a static list that ends in null.
  Provided provided(const char* const* state_names, bool element_wise) {
    table_ = {sizeof(sz_optimizer), element_wise, state_names, update_of};
    return {&table_, this};
  }

 private:
  static sz_error* update_of(void* object, const sz_update_unit* unit, const sz_step_scalars* scalars) {
    return detail::guard([&] { static_cast<Optimizer*>(object)->update(*unit, *scalars); });
  }
  sz_optimizer table_ = {};
};

class Schedule {
 public:
  static constexpr const char* kService = SZ_SCHEDULE;
  virtual ~Schedule() = default;
  // [any] Pure: what multiplies the configured learning rate.
  virtual double factor(const sz_progress& progress) const = 0;

  Provided provided() {
    static constexpr sz_schedule kTable = {sizeof(sz_schedule), 0, factor_of};
    return {&kTable, this};
  }

 private:
  static sz_error* factor_of(void* object, const sz_progress* progress, double* factor) {
    return detail::guard([&] { *factor = static_cast<const Schedule*>(object)->factor(*progress); });
  }
};

}  // namespace sz::inline sdk
