// sz.optimizer/1 and sz.schedule/1
#include <sz/services.h>

#include <cmath>

#include "plugin_host/arguments.h"
#include "plugin_host/plugin_services.h"
#include "plugin_host/unit_view.h"

namespace sz {
namespace {

[[noreturn]] void fail(const PluginInstance& plugin, const std::string& what) {
  throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': " + what);
}

class PluginOptimizer final : public Optimizer {
 public:
  PluginOptimizer(PluginInstance& plugin, std::string name, PluginInstance::Provided provided)
      : plugin_(plugin), name_(std::move(name)), provided_(provided) {
    if (table().struct_size < sizeof(sz_optimizer) || !table().update) fail(plugin, "sz.optimizer/1 is incomplete");
    for (const char* const* state = table().state_names; state && *state; ++state) states_.push_back(*state);
  }
  std::string name() const override { return name_; }
  std::vector<std::string> state_names() const override { return states_; }
  bool element_wise() const override { return table().element_wise != 0; }
  void update(UpdateUnit& unit, const StepScalars& scalars) override {
    const UnitView view(unit);
    const sz_step_scalars lent = to_step_scalars(scalars);
    check(table().update(provided_.object, view.lend(), &lent), plugin_.id(), "optimizer update of ", unit.name);
  }

 private:
  const sz_optimizer& table() const { return *static_cast<const sz_optimizer*>(provided_.table); }

  PluginInstance& plugin_;
  std::string name_;
  PluginInstance::Provided provided_;
  std::vector<std::string> states_;
};

class PluginSchedule final : public Schedule {
 public:
  PluginSchedule(PluginInstance& plugin, PluginInstance::Provided provided, const ScheduleParams& params)
      : plugin_(plugin), provided_(provided), params_(params) {
    if (table().struct_size < sizeof(sz_schedule) || !table().factor) fail(plugin, "sz.schedule/1 is incomplete");
  }

  double lr(int64_t step) const override {
    const int64_t warmup = params_.warmup_steps > 0
                               ? params_.warmup_steps
                               : std::llround(params_.warmup_epochs * double(params_.steps_per_epoch));
    const sz_progress progress = {sizeof(sz_progress), 0,          step,          params_.total_steps,
                                  warmup,              params_.lr, params_.min_lr};
    double factor = 0;
    check(table().factor(provided_.object, &progress, &factor), plugin_.id(), "schedule");
    if (!std::isfinite(factor) || factor < 0) fail(plugin_, "its schedule's factor isn't a number of at least 0");
    return params_.lr * factor;
  }

 private:
  const sz_schedule& table() const { return *static_cast<const sz_schedule*>(provided_.table); }

  PluginInstance& plugin_;
  PluginInstance::Provided provided_;
  ScheduleParams params_;
};

}  // namespace

std::shared_ptr<Optimizer> make_plugin_optimizer(PluginInstance& plugin, const std::string& name) {
  return std::make_shared<PluginOptimizer>(plugin, name, plugin.provide(SZ_OPTIMIZER, name));
}

std::shared_ptr<ScheduleFactory> make_plugin_schedule(PluginInstance& plugin, const std::string& name) {
  const PluginInstance::Provided provided = plugin.provide(SZ_SCHEDULE, name);
  return std::make_shared<ScheduleFactory>([&plugin, provided](const ScheduleParams& params) {
    return std::make_unique<PluginSchedule>(plugin, provided, params);
  });
}

}  // namespace sz
