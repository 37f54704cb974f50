#include "app/load_config.h"

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
  return faults.empty() ? config : Config::resolve(document, schema, faults);
}

}  // namespace sz
