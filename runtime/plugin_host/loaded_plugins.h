// The plugins of a configuration and what they need around them, set up and taken down in the one right order: what the
// application, the benchmarks and the tests share.
//
//   LoadedPlugins plugins("[plugins.amp_o2]\nenabled = true\n", {"build/plugins"});   // or (document, schema)
//   RunContext context;                     // services and comm at least
//   plugins.start(context, hooks);          // create, start, attach
//   plugins.host().set_model(&model);       // before MODEL_DECLARED fires
//   ... plugins.host().precision() and the like go to the trainer ...
//
// It owns the configuration, the host and the registry of services, and borrows the hook table and what the context
// points to until stop() has returned. So it is declared after these, and before all that keeps what plugins gave
// (trainer, TrainParts). At its end plugins are stopped and destroyed in reverse order of start; then go the registry,
// the host and the configuration. Thread: the one of start(), which is the plugins' main thread; one object a rank.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "plugin_host/host.h"

namespace sz {

class LoadedPlugins {
 public:
  // Finds what is wrong beyond single keys, for the same report. Faulty keys have their defaults (Config::is_faulty);
  // the plan is null where it couldn't be made.
  using Check = std::function<void(const Config&, const LoadPlan*, std::vector<std::string>& faults)>;

  // Opens the libraries of the enabled plugins, resolves `document` against `schema` and the plugins' own keys, and
  // makes the load plan. `schema` has the key plugins.search.
  // Errors: one report of everything; Error(kPlugin) where only plugins are at fault, else Error(kUsage).
  LoadedPlugins(const ConfigDocument& document, Schema schema, const Check& check = {});
  // For programs without a configuration file. toml: [plugins.NAME] tables, cited as plugins.toml, and values of the
  // further keys `more`. folders: where the libraries are.
  LoadedPlugins(const std::string& toml, const std::vector<std::string>& folders,
                const std::vector<KeySpec>& more = {});
  ~LoadedPlugins();
  LoadedPlugins(const LoadedPlugins&) = delete;
  LoadedPlugins& operator=(const LoadedPlugins&) = delete;

  // Once. context.config is filled in here. What the runtime itself offers joins the registry before.
  // Errors: Error(kPlugin) naming the plugin.
  void start(RunContext context, HookTable& hooks);
  void stop() noexcept { host_.stop(); }  // before MPI and LibTorch go; the destructor does it otherwise

  const Config& config() const { return config_; }
  const LoadPlan& plan() const { return host_.plan(); }
  PluginHost& host() { return host_; }
  ServiceRegistry& registry() { return registry_; }

 private:
  PluginHost host_;
  Config config_;
  ServiceRegistry registry_;
};

}  // namespace sz
