// The plugins of a run, from the configuration file to their end.
//
//   PluginHost host = PluginHost::discover(document);      opens the libraries of all enabled plugins
//   host.add_schema(schema);                               then Config::resolve(document, schema, host.faults())
//   host.make_plan(config);                                conflicts, order; host.plan().json() is plan.json
//   host.compare_ranks(comm, config);                      before step 0
//   host.create(); host.start(context); host.attach(hooks, registry);
//   ... host.precision(), residency(), sampler(), voters(), states() go to the trainer ...
//   host.set_source(source); host.set_model(model);        before MODEL_DECLARED fires
//   host.stop();                                           in reverse order; before MPI and LibTorch go
//
// LoadedPlugins (loaded_plugins.h) makes these calls in this order. The hook table and what the context points to
// outlive stop(); the host outlives the registry and whatever else holds what it gave. Thread: main.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "plugin_host/load_plan.h"
#include "plugin_host/plugin_scorer.h"
#include "plugin_host/run_context.h"
#include "train/hooks.h"
#include "train/services.h"
#include "train/slots.h"

namespace sz {

class PluginHost {
 public:
  PluginHost();  // no plugins
  PluginHost(PluginHost&&) noexcept;
  PluginHost& operator=(PluginHost&&) noexcept;
  ~PluginHost();  // stops and destroys what still is

  // Never throws for a plugin's fault: see faults().
  static PluginHost discover(const ConfigDocument& document);
  // `file:line:column: key: what is wrong`, for Config::resolve. A run with any of them must not start.
  const std::vector<std::string>& faults() const;
  void add_schema(Schema& schema) const;

  // What is wrong goes into `faults`, each beginning as those above.
  const LoadPlan& make_plan(const Config& config, std::vector<std::string>& faults);
  // The same. Errors: Error(kPlugin) with all faults.
  const LoadPlan& make_plan(const Config& config);
  const LoadPlan& plan() const;
  // Collective; see rank_check.h.
  void compare_ranks(Communicator& comm, const Config& config) const;

  // What plugins find odd in a configuration that is allowed, a line each, "plugin NAME: ..." before it; asked between
  // make_plan and create. 0 in what isn't known. Errors: Error(kPlugin).
  struct KnownRun {
    int ranks = 1;
    int64_t steps_per_epoch = 0, total_steps = 0;
  };
  std::vector<std::string> warnings(const Config& config, const KnownRun& run) const;

  // Errors: Error(kPlugin) naming the plugin; those before it are stopped and destroyed by stop() or the destructor.
  void create();
  void start(const RunContext& context);
  // Observers and wrappers go into the table in the plan's order, services into the registry: sz.optimizer/1 as
  // Optimizer, sz.loss/1 as Loss, sz.architecture/1 as Architecture, sz.schedule/1 as ScheduleFactory
  // (plugin_services.h). Once, after start. The same number of table entries on every rank.
  void attach(HookTable& hooks, ServiceRegistry& registry);
  void stop() noexcept;

  // After attach. Null: no plugin owns the slot. The host's.
  Precision* precision() const;
  Residency* residency() const;
  Sampler* sampler() const;
  std::vector<Voter*> voters() const;    // in load-plan order
  std::vector<Stateful*> states() const; // of all plugins, the precision slot's owner among them
  // Of sz.scorer/1, in load-plan order; after start. They live until stop.
  std::vector<PluginScorer> scorers() const;

  // What sz.data/1 and sz.model/1 read; borrowed until stop.
  void set_source(std::shared_ptr<const Source> source);
  void set_model(ModelDeclaration* model);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What this host lets plugins take over and use.
const HostOffer& host_offer_to_plans();

}  // namespace sz
