// The runtime's own providers, and the parts of one run put together.
#pragma once
#include <functional>
#include <memory>

#include "base/config.h"
#include "optim/make_optimizer.h"
#include "optim/schedule.h"
#include "train/services.h"
#include "train/slots.h"

namespace sz {

// How a service of the registry that needs the configuration's values is made: sz.optimizer/1, sz.schedule/1.
struct OptimizerFactory {
  std::function<std::unique_ptr<Optimizer>(const OptimizerParams&)> make;
};
struct ScheduleFactory {
  std::function<std::unique_ptr<Schedule>(const ScheduleParams&)> make;
};

// Registers the built-in providers of sz.architecture/1, sz.loss/1, sz.optimizer/1 and sz.schedule/1.
void add_builtin_services(ServiceRegistry& registry);

}  // namespace sz
