// The runtime's own providers of services.
#pragma once
#include "base/config.h"
#include "plugin_host/plugin_services.h"
#include "train/services.h"

namespace sz {

// Registers the built-in providers of sz.architecture/1 (Architecture), sz.loss/1 (Loss), sz.optimizer/1 (Optimizer,
// made with the configuration's numbers) and sz.schedule/1 (ScheduleFactory), as plugins' are.
void add_builtin_services(ServiceRegistry& registry, const Config& config);

}  // namespace sz
