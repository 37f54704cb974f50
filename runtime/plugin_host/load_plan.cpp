#include "plugin_host/load_plan.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "plugin_host/topological_order.h"

namespace sz {
namespace {

using Edges = std::set<std::pair<std::string, std::string>>;
using Faults = std::vector<std::string>;

// One plugin with only those claims whose conditions hold.
struct Active {
  const PlanInput* input = nullptr;
  std::vector<const HookClaim*> hooks;
  std::vector<const SlotClaim*> slots;
  std::vector<const ServiceOffer*> gives;
  std::vector<const Need*> needs;
  bool votes = false;
  std::vector<std::string> off;

  const std::string& id() const { return input->descriptor.id; }
  std::string cited() const { return input->cited.empty() ? "" : input->cited + ": "; }
};
using ActivePlugins = std::map<std::string, Active>;

std::string off_text(const std::string& claim, const Conditions& when) {
  std::string text = claim + " (needs ";
  for (size_t i = 0; i < when.size(); ++i) text += (i ? " and " : "") + when[i].text();
  return text + ")";
}

Active switch_claims(const PlanInput& input) {
  const Descriptor& descriptor = input.descriptor;
  Active active;
  active.input = &input;
  const auto on = [&](const std::string& claim, const Conditions& when) {
    if (holds(when, input.values)) return true;
    active.off.push_back(off_text(claim, when));
    return false;
  };
  for (const HookClaim& claim : descriptor.hooks) {
    if (on(std::string("hook ") + name_of(claim.hook), claim.when)) active.hooks.push_back(&claim);
  }
  for (const SlotClaim& claim : descriptor.slots) {
    if (on(std::string("slot ") + name_of(claim.slot), claim.when)) active.slots.push_back(&claim);
  }
  for (const ServiceOffer& offer : descriptor.gives) {
    if (on("service " + offer.service, offer.when)) active.gives.push_back(&offer);
  }
  for (const Need& need : descriptor.needs) {
    if (holds(need.when, input.values)) active.needs.push_back(&need);
  }
  active.votes = descriptor.votes;
  return active;
}

ActivePlugins switch_all(const std::vector<PlanInput>& inputs, Faults& faults) {
  ActivePlugins plugins;
  for (const PlanInput& input : inputs) {
    const auto [it, added] = plugins.emplace(input.descriptor.id, switch_claims(input));
    if (!added) {
      faults.push_back(it->second.cited() + "plugin '" + input.descriptor.id + "' is there twice: " +
                       it->second.input->path + " and " + input.path + "; switch one of them off");
    }
  }
  return plugins;
}

std::vector<std::string> providers(const ActivePlugins& plugins, const Need& need) {
  std::vector<std::string> found;
  for (const auto& [id, plugin] : plugins) {
    for (const ServiceOffer* offer : plugin.gives) {
      if (offer->service == need.id) found.push_back(id);
    }
  }
  return found;
}

// What is wrong with a need, or nothing; adds who must start before whom.
std::string check_need(const Active& plugin, const Need& need, const ActivePlugins& plugins, const HostOffer& host,
                       Edges& before) {
  const std::string who = plugin.cited() + "plugin '" + plugin.id() + "' needs ";
  if (need.kind == Need::Kind::kPlugin) {
    if (plugins.count(need.id)) {
      before.emplace(need.id, plugin.id());
      return "";
    }
    return who + "plugin '" + need.id + "'; set plugins." + need.id + ".enabled = true";
  }
  if (need.kind == Need::Kind::kInterface) {
    if (host.interfaces.count(need.id)) return "";
    return who + "the host interface " + need.id + ", which this host doesn't serve";
  }
  const std::vector<std::string> found = providers(plugins, need);
  for (const std::string& provider : found) {
    if (provider != plugin.id()) before.emplace(provider, plugin.id());
  }
  if (!found.empty() || host.services.count(need.id)) return "";
  return who + "the service " + need.id + ", which no enabled plugin gives";
}

Edges check_needs(const ActivePlugins& plugins, const HostOffer& host, Faults& faults) {
  Edges before;
  for (const auto& [id, plugin] : plugins) {
    for (const Need* need : plugin.needs) {
      const std::string fault = check_need(plugin, *need, plugins, host, before);
      if (!fault.empty()) faults.push_back(fault);
    }
  }
  return before;
}

std::map<Slot, std::string> assign_slots(const ActivePlugins& plugins, const HostOffer& host, Faults& faults) {
  std::map<Slot, std::string> owners;
  for (const auto& [id, plugin] : plugins) {
    for (const SlotClaim* claim : plugin.slots) {
      const std::string slot = name_of(claim->slot);
      if (!host.slots.count(claim->slot)) {
        faults.push_back(plugin.cited() + "plugin '" + id + "' claims slot '" + slot +
                         "', which this host doesn't yet let plugins own");
      }
      const auto [it, added] = owners.emplace(claim->slot, id);
      if (!added) {
        faults.push_back(plugin.cited() + "slot '" + slot + "' is claimed by both '" + it->second + "' and '" + id +
                         "'; a slot has one owner: switch one of them off");
      }
    }
  }
  return owners;
}

void check_services(const ActivePlugins& plugins, const HostOffer& host, Faults& faults) {
  std::map<std::pair<std::string, std::string>, std::string> given;
  for (const auto& [id, plugin] : plugins) {
    for (const ServiceOffer* offer : plugin.gives) {
      const std::string& service = offer->service;
      if (!host.givable.count(service)) {
        faults.push_back(plugin.cited() + "plugin '" + id + "' gives service " + service +
                         ", which this host doesn't yet take from plugins");
      }
      const auto [it, added] = given.emplace(std::make_pair(service, offer->name), id);
      if (!added) {
        faults.push_back(plugin.cited() + "service " + service + " '" + offer->name + "' is given by both '" +
                         it->second + "' and '" + id + "'; switch one of them off");
      }
    }
  }
}

const HookClaim* claim_of(const Active& plugin, Hook hook) {
  for (const HookClaim* claim : plugin.hooks) {
    if (claim->hook == hook) return claim;
  }
  return nullptr;
}

std::string arrow_chain(const std::vector<std::string>& cycle) {
  std::string text;
  for (const std::string& name : cycle) text += "'" + name + "' before ";
  return text + "'" + cycle.front() + "'";
}

// `names` in the order that their claims of these hooks ask for.
std::vector<std::string> order_on(const ActivePlugins& plugins, const std::vector<Hook>& hooks,
                                  const std::set<std::string>& names, Faults& faults) {
  Edges edges;
  for (const std::string& name : names) {
    for (const Hook hook : hooks) {
      const HookClaim* claim = claim_of(plugins.at(name), hook);
      if (!claim) continue;
      for (const std::string& other : claim->before) edges.emplace(name, other);
      for (const std::string& other : claim->after) edges.emplace(other, name);
    }
  }
  TopologicalOrder result = topological_order(names, edges);
  if (!result.cycle.empty()) {
    const std::string where = hooks.size() > 1 ? "around hooks" : std::string("hook ") + name_of(hooks[0]);
    const std::string fault = plugins.at(result.cycle.front()).cited() + where +
                              ": the order asked for is a circle: " + arrow_chain(result.cycle) +
                              "; switch one of them off";
    if (std::find(faults.begin(), faults.end(), fault) == faults.end()) faults.push_back(fault);
  }
  return result.order;
}

std::set<std::string> claimants(const ActivePlugins& plugins, Hook hook) {
  std::set<std::string> names;
  for (const auto& [id, plugin] : plugins) {
    if (claim_of(plugin, hook)) names.insert(id);
  }
  return names;
}

void order_around(const ActivePlugins& plugins, LoadPlan& plan, Faults& faults) {
  const std::vector<Hook> hooks = {Hook::kSegmentForward, Hook::kSegmentBackward, Hook::kOptimizerStep};
  std::set<std::string> names;
  for (const Hook hook : hooks) names.merge(claimants(plugins, hook));
  plan.around = order_on(plugins, hooks, names, faults);
  for (const Hook hook : hooks) {
    for (const std::string& id : plan.around) {
      if (claim_of(plugins.at(id), hook)) plan.hooks[int(hook)].push_back(id);
    }
  }
}

void order_hooks(const ActivePlugins& plugins, LoadPlan& plan, Faults& faults) {
  order_around(plugins, plan, faults);
  for (int h = 0; h < kHookCount; ++h) {
    if (!is_around(Hook(h))) plan.hooks[h] = order_on(plugins, {Hook(h)}, claimants(plugins, Hook(h)), faults);
  }
  std::set<std::string> voters;
  for (const auto& [id, plugin] : plugins) {
    if (plugin.votes) voters.insert(id);
  }
  plan.voters = order_on(plugins, {Hook::kVerdict}, voters, faults);
}

PlannedPlugin planned(const Active& active) {
  const Descriptor& descriptor = active.input->descriptor;
  PlannedPlugin plugin;
  plugin.id = descriptor.id;
  plugin.version = descriptor.version;
  plugin.path = active.input->path;
  plugin.checksum = active.input->checksum;
  for (const HookClaim* claim : active.hooks) plugin.hooks.push_back(claim->hook);
  for (const SlotClaim* claim : active.slots) plugin.slots.push_back(claim->slot);
  for (const ServiceOffer* offer : active.gives) plugin.gives.push_back(*offer);
  plugin.votes = active.votes;
  plugin.off = active.off;
  return plugin;
}

void order_plugins(const ActivePlugins& plugins, const Edges& before, LoadPlan& plan, Faults& faults) {
  std::set<std::string> names;
  for (const auto& [id, plugin] : plugins) names.insert(id);
  const TopologicalOrder result = topological_order(names, before);
  if (!result.cycle.empty()) {
    faults.push_back(plugins.at(result.cycle.front()).cited() + "plugins need each other in a circle: " +
                     arrow_chain(result.cycle) + "; none of them can be started first");
  }
  for (const std::string& id : result.order) plan.plugins.push_back(planned(plugins.at(id)));
}

}  // namespace

bool is_around(Hook hook) {
  return hook == Hook::kSegmentForward || hook == Hook::kSegmentBackward || hook == Hook::kOptimizerStep;
}

bool holds(const Conditions& when, const std::map<std::string, KeyValue>& values) {
  return std::all_of(when.begin(), when.end(), [&](const Condition& condition) {
    const auto it = values.find(condition.key);
    const std::string value = it == values.end() ? "" : to_text(it->second);
    const auto& wanted = condition.values;
    const bool in = it != values.end() && std::find(wanted.begin(), wanted.end(), value) != wanted.end();
    return condition.op == Condition::Op::kNotEqual ? !in : in;
  });
}

LoadPlan make_load_plan(const std::vector<PlanInput>& inputs, const HostOffer& host, Faults& faults) {
  LoadPlan plan;
  const ActivePlugins plugins = switch_all(inputs, faults);
  const Edges before = check_needs(plugins, host, faults);
  plan.slots = assign_slots(plugins, host, faults);
  check_services(plugins, host, faults);
  order_hooks(plugins, plan, faults);
  order_plugins(plugins, before, plan, faults);
  return plan;
}

LoadPlan make_load_plan(const std::vector<PlanInput>& inputs, const HostOffer& host) {
  Faults faults;
  LoadPlan plan = make_load_plan(inputs, host, faults);
  if (!faults.empty()) throw Error(Exit::kPlugin, joined(faults, "\n"));
  return plan;
}

}  // namespace sz
