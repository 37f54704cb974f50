// The load plan written down: JSON, text for people, hash and fingerprint.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "plugin_host/load_plan.h"

namespace sz {
namespace {

using Json = nlohmann::ordered_json;

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(name_of(entry));
  return names;
}

std::vector<std::string> services_of(const PlannedPlugin& plugin) {
  std::vector<std::string> names;
  for (const ServiceOffer& offer : plugin.gives) names.push_back(offer.service + " '" + offer.name + "'");
  return names;
}

Json plugin_json(const PlannedPlugin& plugin) {
  return {{"id", plugin.id},
          {"version", plugin.version},
          {"path", plugin.path},
          {"xxh3", plugin.checksum},
          {"hooks", names_of(plugin.hooks)},
          {"slots", names_of(plugin.slots)},
          {"gives", services_of(plugin)},
          {"votes", plugin.votes},
          {"off", plugin.off}};
}

}  // namespace

const PlannedPlugin* LoadPlan::find(const std::string& id) const {
  const auto it = std::find_if(plugins.begin(), plugins.end(), [&](const auto& plugin) { return plugin.id == id; });
  return it == plugins.end() ? nullptr : &*it;
}

std::string LoadPlan::json() const {
  Json root;
  root["plugins"] = Json::array();
  for (const PlannedPlugin& plugin : plugins) root["plugins"].push_back(plugin_json(plugin));
  root["hooks"] = Json::object();
  for (int h = 0; h < kHookCount; ++h) {
    if (!hooks[h].empty()) root["hooks"][name_of(Hook(h))] = hooks[h];
  }
  root["slots"] = Json::object();
  for (int s = 0; s < kSlotCount; ++s) {
    const auto owner = slots.find(Slot(s));
    root["slots"][name_of(Slot(s))] = owner == slots.end() ? Json(nullptr) : Json(owner->second);
  }
  root["voters"] = voters;
  root["hash"] = hash();
  return root.dump(2) + "\n";
}

std::string LoadPlan::text() const {
  if (plugins.empty()) return "No plugins; the runtime's defaults own every slot.\n";
  std::string text = "Plugins, in order of start:\n";
  for (const PlannedPlugin& plugin : plugins) {
    text += "  " + plugin.id + " " + plugin.version + "  " + plugin.path + "\n";
    if (!plugin.gives.empty()) text += "    gives " + joined(services_of(plugin), ", ") + "\n";
    for (const std::string& claim : plugin.off) text += "    off: " + claim + "\n";
  }
  text += "Slots:\n";
  for (int s = 0; s < kSlotCount; ++s) {
    const auto owner = slots.find(Slot(s));
    text += std::string("  ") + name_of(Slot(s)) + ": " + (owner == slots.end() ? "(default)" : owner->second) + "\n";
  }
  text += "Hooks, in order of call:\n";
  for (int h = 0; h < kHookCount; ++h) {
    if (!hooks[h].empty()) text += std::string("  ") + name_of(Hook(h)) + ": " + joined(hooks[h], ", ") + "\n";
  }
  if (!voters.empty()) text += "Voters: " + joined(voters, ", ") + "\n";
  return text;
}

std::vector<std::pair<std::string, std::string>> LoadPlan::fingerprint() const {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const PlannedPlugin& plugin : plugins) {
    const std::string name = "plugin " + plugin.id + ": ";
    lines.emplace_back(name + "version", plugin.version);
    lines.emplace_back(name + "checksum of its file", plugin.checksum);
    lines.emplace_back(name + "hooks", joined(names_of(plugin.hooks), " "));
    lines.emplace_back(name + "slots", joined(names_of(plugin.slots), " "));
    lines.emplace_back(name + "services", joined(services_of(plugin), " "));
    lines.emplace_back(name + "votes", plugin.votes ? "yes" : "no");
  }
  for (int h = 0; h < kHookCount; ++h) {
    if (!hooks[h].empty()) lines.emplace_back(std::string("order on ") + name_of(Hook(h)), joined(hooks[h], " "));
  }
  lines.emplace_back("order of votes", joined(voters, " "));
  return lines;
}

uint64_t LoadPlan::hash() const {
  std::string text;
  for (const auto& [key, value] : fingerprint()) text += key + '\0' + value + '\0';
  return xxh3_64(text);
}

}  // namespace sz
