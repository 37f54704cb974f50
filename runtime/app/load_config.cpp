#include "app/load_config.h"

#include <algorithm>
#include <utility>

#include "app/parts.h"
#include "app/schema.h"
#include "app/settings.h"
#include "base/error.h"

namespace sz {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

// Autocast and a plugin's dtype plan would both decide what products run in.
void check_precision(const Config& config, const PluginHost& plugins, std::vector<std::string>& faults) {
  const auto& slots = plugins.plan().slots;
  const auto owner = slots.find(Slot::kPrecision);
  if (owner == slots.end() || config.get_string("train.precision") == "fp32") return;
  faults.push_back(config.cite("train.precision") + ": the plugin " + owner->second +
                   " decides the precision; leave this key out, or switch the plugin off");
}

// Services that the configuration names must be offered, by the runtime or by an enabled plugin.
void check_services(const Config& config, const PluginHost& plugins, std::vector<std::string>& faults) {
  ServiceRegistry registry;
  add_builtin_services(registry, config);
  constexpr std::pair<const char*, const char*> kNamed[] = {{"model.type", "sz.architecture/1"},
                                                            {"train.loss", "sz.loss/1"},
                                                            {"optimizer.type", "sz.optimizer/1"},
                                                            {"optimizer.schedule.decay_type", "sz.schedule/1"}};
  for (const auto& [key, service] : kNamed) {
    std::vector<std::string> names = registry.names(service);
    for (const PlannedPlugin& plugin : plugins.plan().plugins) {
      for (const ServiceOffer& offer : plugin.gives) {
        if (offer.service == service) names.push_back(offer.name);
      }
    }
    const std::string& wanted = config.get_string(key);
    if (std::find(names.begin(), names.end(), wanted) != names.end()) continue;
    std::string fault = config.cite(key) + ": nobody offers '" + wanted + "'; offered: ";
    for (size_t i = 0; i < names.size(); ++i) fault += (i > 0 ? ", " : "") + names[i];
    faults.push_back(fault);
  }
}

}  // namespace

Config load_config(const RunArguments& arguments, PluginHost& plugins) {
  const ConfigDocument document = ConfigDocument::load(arguments.config, arguments.sets);
  plugins = PluginHost::discover(document);
  Schema schema = runtime_schema();
  plugins.add_schema(schema);
  const Config config = [&] {
    try {
      return Config::resolve(document, schema);
    } catch (const Error&) {
      return Config::resolve(document, schema, plugins.faults());
    }
  }();
  if (!plugins.faults().empty()) throw Error(Exit::kPlugin, joined(plugins.faults()));
  plugins.make_plan(config);
  std::vector<std::string> faults = cross_key_faults(config);
  check_precision(config, plugins, faults);
  check_services(config, plugins, faults);
  return faults.empty() ? config : Config::resolve(document, schema, faults);
}

}  // namespace sz
