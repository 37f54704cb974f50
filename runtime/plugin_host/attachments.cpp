#include "plugin_host/attachments.h"

#include <sz/host/run.h>
#include <sz/services.h>

#include <algorithm>

#include "plugin_host/instance.h"
#include "plugin_host/plugin_observer.h"
#include "plugin_host/plugin_precision.h"
#include "plugin_host/plugin_residency.h"
#include "plugin_host/plugin_sampler.h"
#include "plugin_host/plugin_services.h"
#include "plugin_host/plugin_state.h"
#include "plugin_host/plugin_voter.h"
#include "plugin_host/plugin_wrapper.h"

namespace sz {
namespace {

// Requests come from any thread; they reach the board on the main one, just before VERDICT collects them.
class RequestCollector final : public Observer {
 public:
  explicit RequestCollector(HostRun& run) : run_(run) {}
  std::string name() const override { return "plugin_host"; }
  void on(const HookInfo&) override {
    uint32_t bits = 0;
    for (PluginInstance* plugin : run_.instances) {
      const uint32_t asked = plugin->requests.exchange(0);
      if (!plugin->silenced()) bits |= asked;  // as if it had never been
    }
    Requests& board = run_.context.services->requests;
    board.stop |= (bits >> SZ_REQUEST_STOP) & 1;
    board.save |= (bits >> SZ_REQUEST_SAVE) & 1;
    board.evaluate |= (bits >> SZ_REQUEST_EVALUATE) & 1;
  }

 private:
  HostRun& run_;
};

// Stands for a plugin that watches no hook, so that a failing event listener of it can be switched off like a hook.
class Placeholder final : public Observer {
 public:
  explicit Placeholder(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  void on(const HookInfo&) override {}

 private:
  std::string name_;
};

void add_entry(HookTable& hooks, PluginInstance& plugin, std::shared_ptr<Observer> observer, uint64_t mask) {
  hooks.observe(std::move(observer), mask);
  plugin.hooks = &hooks;
  plugin.entries.push_back(hooks.entries().size() - 1);
}

}  // namespace

Attachments::Attachments(const LoadPlan& plan, HostRun& run, HookTable& hooks, ServiceRegistry& registry)
    : plan_(plan), run_(run) {
  if (plan.plugins.empty()) return;
  make_states();
  own_slots();
  wrap(hooks);
  observe(hooks);
  for (const std::string& id : plan.voters) voters.push_back(std::make_unique<PluginVoter>(instance(id)));
  give_services(registry);
}

PluginInstance& Attachments::instance(const std::string& id) const {
  const auto same = [&](const PluginInstance* plugin) { return plugin->id() == id; };
  const auto it = std::find_if(run_.instances.begin(), run_.instances.end(), same);
  SZ_ASSERT(it != run_.instances.end());  // every planned plugin has been started
  return **it;
}

void Attachments::make_states() {
  for (PluginInstance* plugin : run_.instances) {
    if (plugin->descriptor().state) states[plugin->id()] = std::make_unique<PluginState>(*plugin);
  }
}

void Attachments::own_slots() {
  for (const auto& [slot, id] : plan_.slots) {
    PluginInstance& owner = instance(id);
    const auto state = states.find(id);
    switch (slot) {
      case Slot::kPrecision:
        precision = std::make_unique<PluginPrecision>(owner, state == states.end() ? nullptr : state->second.get());
        break;
      case Slot::kResidency: residency = std::make_unique<PluginResidency>(owner); break;
      case Slot::kSampler: sampler = std::make_unique<PluginSampler>(owner); break;
    }
  }
}

void Attachments::wrap(HookTable& hooks) {
  for (const std::string& id : plan_.around) {
    if (instance(id).has_extension(SZ_AROUND)) hooks.wrap(std::make_shared<PluginWrapper>(instance(id)));
  }
}

// One observer a plugin, in the table once for each hook: each hook has its own order, and its own time.
void Attachments::observe(HookTable& hooks) {
  std::map<std::string, std::shared_ptr<PluginObserver>> observers;
  for (int h = 0; h < kHookCount; ++h) {
    for (const std::string& id : plan_.hooks[h]) {
      PluginInstance& plugin = instance(id);
      const auto wraps = [&](const auto& wrapper) { return wrapper->name() == id && wrapper->wraps(Hook(h)); };
      const auto& wrappers = hooks.wrappers();
      if (std::any_of(wrappers.begin(), wrappers.end(), wraps)) continue;
      std::shared_ptr<PluginObserver>& observer = observers[id];
      if (!observer) observer = std::make_shared<PluginObserver>(plugin);
      add_entry(hooks, plugin, observer, uint64_t(1) << h);
    }
  }
  for (PluginInstance* plugin : run_.instances) {
    if (plugin->entries.empty()) add_entry(hooks, *plugin, std::make_shared<Placeholder>(plugin->id()), 0);
  }
  hooks.observe(std::make_shared<RequestCollector>(run_), {Hook::kGradientsReduced});
}

void Attachments::give_services(ServiceRegistry& registry) {
  for (PluginInstance* plugin : run_.instances) {
    for (const ServiceOffer& offer : plugin->plan().gives) {
      const std::string &service = offer.service, &name = offer.name, &id = plugin->id();
      if (service == SZ_OPTIMIZER) registry.add(service, name, id, make_plugin_optimizer(*plugin, name));
      if (service == SZ_SCHEDULE) registry.add(service, name, id, make_plugin_schedule(*plugin, name));
      if (service == SZ_LOSS) registry.add(service, name, id, make_plugin_loss(*plugin, name));
      if (service == SZ_ARCHITECTURE) registry.add(service, name, id, make_plugin_architecture(*plugin, name));
    }
  }
}

}  // namespace sz
