// Services that plugins give, as the runtime's own interfaces. sz.scorer/1 and sz.pacing/1 need nothing here: plugins
// take them from each other through sz.services/1.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "model/services.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "plugin_host/instance.h"

namespace sz {

// Each: errors Error(kPlugin) naming the plugin. They live as long as the instance, or shorter.
std::shared_ptr<Optimizer> make_plugin_optimizer(PluginInstance& plugin, const std::string& name);
std::shared_ptr<Loss> make_plugin_loss(PluginInstance& plugin, const std::string& name);
std::shared_ptr<Architecture> make_plugin_architecture(PluginInstance& plugin, const std::string& name);

// What the registry holds under sz.schedule/1.
using ScheduleFactory = std::function<std::unique_ptr<Schedule>(const ScheduleParams&)>;
std::shared_ptr<ScheduleFactory> make_plugin_schedule(PluginInstance& plugin, const std::string& name);

}  // namespace sz
