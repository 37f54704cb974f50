#include "app/load_config.h"

#include <algorithm>
#include <utility>

#include "app/parts.h"
#include "app/schema.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

// Autocast and a plugin's dtype plan would both decide what products run in.
void check_precision(const Config& config, const LoadPlan& plan, std::vector<std::string>& faults) {
  const auto& slots = plan.slots;
  const auto owner = slots.find(Slot::kPrecision);
  if (owner == slots.end() || config.get_string("train.precision") == "fp32") return;
  faults.push_back(config.cite("train.precision") + ": the plugin " + owner->second +
                   " decides the precision; leave this key out, or switch the plugin off");
}

// Services that the configuration names must be offered, by the runtime or by an enabled plugin.
void check_services(const Config& config, const LoadPlan& plan, std::vector<std::string>& faults) {
  if (config.get_float_list("optimizer.betas").size() != 2) return;  // told of already; no optimizer can be made
  ServiceRegistry registry;
  add_builtin_services(registry, config);
  constexpr std::pair<const char*, const char*> kNamed[] = {{"model.type", "sz.architecture/1"},
                                                            {"train.loss", "sz.loss/1"},
                                                            {"optimizer.type", "sz.optimizer/1"},
                                                            {"optimizer.schedule.decay_type", "sz.schedule/1"}};
  for (const auto& [key, service] : kNamed) {
    if (config.is_faulty(key)) continue;
    std::vector<std::string> names = registry.names(service);
    for (const PlannedPlugin& plugin : plan.plugins) {
      for (const ServiceOffer& offer : plugin.gives) {
        if (offer.service == service) names.push_back(offer.name);
      }
    }
    const std::string& wanted = config.get_string(key);
    if (std::find(names.begin(), names.end(), wanted) != names.end()) continue;
    faults.push_back(config.cite(key) + ": nobody offers '" + wanted + "'; offered: " + joined(names));
  }
}

}  // namespace

std::unique_ptr<LoadedPlugins> load_config(const RunArguments& arguments) {
  const ConfigDocument document = ConfigDocument::load(arguments.config, arguments.sets);
  const auto check = [](const Config& config, const LoadPlan* plan, std::vector<std::string>& faults) {
    for (std::string& fault : cross_key_faults(config)) faults.push_back(std::move(fault));
    if (!plan) return;
    check_precision(config, *plan, faults);
    check_services(config, *plan, faults);
  };
  return std::make_unique<LoadedPlugins>(document, runtime_schema(), check);
}

}  // namespace sz
