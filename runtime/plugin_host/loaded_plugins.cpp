#include "plugin_host/loaded_plugins.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

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

// The user's own mistakes decide the kind of error; those of plugins are told beside them.
LoadedPlugins::LoadedPlugins(const ConfigDocument& document, Schema schema, const Check& check)
    : host_(PluginHost::discover(document)) {
  host_.add_schema(schema);
  std::vector<std::string> own, of_plugins = host_.faults();
  config_ = Config::resolve_partly(document, schema, own);
  // Claims depend on plugins' keys, and needs on who is there: with some of these wrong, the plan's faults mean nothing.
  if (of_plugins.empty() && !config_.is_faulty("plugins")) host_.make_plan(config_, of_plugins);
  const bool planned = of_plugins.empty() && !config_.is_faulty("plugins");
  if (check) check(config_, planned ? &host_.plan() : nullptr, own);
  const Exit exit = own.empty() ? Exit::kPlugin : Exit::kUsage;
  own.insert(own.end(), of_plugins.begin(), of_plugins.end());
  if (!own.empty()) throw Error(exit, sorted_report(std::move(own)));
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
