// The load plan: which plugins do what, in which order. Decided from descriptors and configuration values
// alone, on any machine, before any plugin is created.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin_host/descriptor.h"

namespace sz {

struct PlanInput {
  Descriptor descriptor;
  std::map<std::string, KeyValue> values;  // of its own keys, resolved
  std::string path;                        // of its file
  std::string checksum;                    // of its file's bytes; the same on all ranks
  std::string cited;                       // "file:line:column: key" that switches it on, to begin faults with; or ""
};

// What the runtime itself brings.
struct HostOffer {
  std::set<std::string> services;    // "sz.optimizer/1": there without any plugin
  std::set<std::string> givable;     // "sz.scorer/1": plugins may give them here
  std::set<std::string> interfaces;  // "sz.config/1"
  std::set<Slot> slots;              // plugins may own them here
};

struct PlannedPlugin {
  std::string id, version, path, checksum;
  std::vector<Hook> hooks;           // claimed and switched on
  std::vector<Slot> slots;
  std::vector<ServiceOffer> gives;
  bool votes = false;
  std::vector<std::string> off;      // claims that `when` switched off, as text with the condition
};

struct LoadPlan {
  std::vector<PlannedPlugin> plugins;                         // in order of start: who is needed comes first
  std::array<std::vector<std::string>, kHookCount> hooks;     // ids in order of call; around hooks: outermost first
  std::vector<std::string> around;                            // those on any around hook: one order for all three
  std::map<Slot, std::string> slots;                          // owners; absent: the runtime's default
  std::vector<std::string> voters;                            // in order of vote

  const PlannedPlugin* find(const std::string& id) const;
  std::string json() const;  // plan.json
  std::string text() const;  // for people
  uint64_t hash() const;     // paths left out
  // ("plugin NAME: hooks", "VERDICT STEP_END"): what ranks must agree on, a line each.
  std::vector<std::pair<std::string, std::string>> fingerprint() const;
};

// SEGMENT_FORWARD, SEGMENT_BACKWARD and OPTIMIZER_STEP: who wraps them is one chain, since a wrapper that runs a
// segment again must know which others lie inside it.
bool is_around(Hook hook);

bool holds(const Conditions& when, const std::map<std::string, KeyValue>& values);

// What is wrong goes into `faults`, a line each, naming the plugins concerned.
LoadPlan make_load_plan(const std::vector<PlanInput>& inputs, const HostOffer& host, std::vector<std::string>& faults);
// The same. Errors: Error(kPlugin) with all faults.
LoadPlan make_load_plan(const std::vector<PlanInput>& inputs, const HostOffer& host);

}  // namespace sz
