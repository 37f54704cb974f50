#include "plugin_host/loaded_plugins.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

// The user's own mistakes decide the kind of error; plugins that cannot be opened are told beside them.
Config resolve(const ConfigDocument& document, const Schema& schema, const std::vector<std::string>& faults) {
  Config config;
  try {
    config = Config::resolve(document, schema);
  } catch (const Error&) {
    return Config::resolve(document, schema, faults);
  }
  if (!faults.empty()) throw Error(Exit::kPlugin, joined(faults, "\n"));
  return config;
}

ConfigDocument parse(const std::string& toml, const std::vector<std::string>& folders) {
  return ConfigDocument::parse(toml, "plugins.toml", {"plugins.search=" + nlohmann::json(folders).dump()});
}

Schema small_schema(const std::vector<KeySpec>& more) {
  Schema schema;
  schema.add({"plugins.search", KeyType::kStringList, "[]", "folders"});
  for (const KeySpec& key : more) schema.add(key);
  return schema;
}

}  // namespace

LoadedPlugins::LoadedPlugins(const ConfigDocument& document, Schema schema) : host_(PluginHost::discover(document)) {
  host_.add_schema(schema);
  config_ = resolve(document, schema, host_.faults());
  host_.make_plan(config_);
}

LoadedPlugins::LoadedPlugins(const std::string& toml, const std::vector<std::string>& folders,
                             const std::vector<KeySpec>& more)
    : LoadedPlugins(parse(toml, folders), small_schema(more)) {}

LoadedPlugins::~LoadedPlugins() { stop(); }

void LoadedPlugins::start(RunContext context, HookTable& hooks) {
  context.config = &config_;
  host_.create();
  host_.start(context);
  host_.attach(hooks, registry_);
}

}  // namespace sz
