// What the started plugins of a plan do in the run: made once, after start.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin_host/load_plan.h"
#include "plugin_host/run_context.h"
#include "train/hooks.h"
#include "train/services.h"
#include "train/slots.h"

namespace sz {

class Attachments {
 public:
  // Errors: Error(kPlugin), for an extension that a plugin claims but doesn't have.
  Attachments(const LoadPlan& plan, HostRun& run, HookTable& hooks, ServiceRegistry& registry);

  std::unique_ptr<Precision> precision;
  std::unique_ptr<Residency> residency;
  std::unique_ptr<Sampler> sampler;
  std::vector<std::unique_ptr<Voter>> voters;              // in load-plan order
  std::map<std::string, std::unique_ptr<Stateful>> states; // by plugin id

 private:
  PluginInstance& instance(const std::string& id) const;
  void make_states();
  void own_slots();
  void wrap(HookTable& hooks);
  void observe(HookTable& hooks);
  void give_services(ServiceRegistry& registry);

  const LoadPlan& plan_;
  HostRun& run_;
};

}  // namespace sz
