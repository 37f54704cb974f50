#include "plugin_host/reports.h"

#include <sz/plugin.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "plugin_host/interfaces.h"
#include "plugin_host/key_value.h"
#include "plugin_host/library.h"

namespace sz {
namespace {

const char* type_name(KeyType type) {
  static constexpr const char* kNames[] = {"bool", "int", "float", "string", "list of strings", "list of floats"};
  return kNames[int(type)];
}

std::string when_text(const Conditions& when) {
  std::string text;
  for (const Condition& condition : when) text += (text.empty() ? "  when " : " and ") + condition.text();
  return text;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string key_text(const Descriptor& descriptor, const KeySpec& key) {
  std::string text = "  plugins." + descriptor.id + "." + key.path + "  (" + type_name(key.type);
  if (!key.default_toml.empty()) text += ", default " + key.default_toml;
  if (key.required) text += ", required";
  if (std::isfinite(key.min) || std::isfinite(key.max)) {
    text += ", " + to_text(KeyValue(key.min)) + " to " + to_text(KeyValue(key.max));
  }
  if (!key.choices.empty()) text += ", one of " + joined(key.choices);
  if (key.per_host) text += ", may differ between hosts";
  return text + ")\n      " + key.help + "\n";
}

std::string hook_text(const HookClaim& claim) {
  std::string text = std::string("  ") + name_of(claim.hook);
  if (is_around(claim.hook)) text += " (around)";
  if (!claim.before.empty()) text += "  before " + joined(claim.before);
  if (!claim.after.empty()) text += "  after " + joined(claim.after);
  return text + when_text(claim.when) + "\n";
}

std::string need_text(const Need& need) {
  static constexpr const char* kKinds[] = {"host interface", "service", "plugin"};
  return std::string("  ") + kKinds[int(need.kind)] + " " + need.id + when_text(need.when) + "\n";
}

template <class List, class Line>
void section(std::string& text, const char* title, const List& list, Line line) {
  if (list.empty()) return;
  text += std::string(title) + ":\n";
  for (const auto& entry : list) text += line(entry);
}

// What a plugin asks of this host in vain.
std::vector<std::string> unserved(const Descriptor& descriptor) {
  const HostOffer& host = host_offer_to_plans();
  std::vector<std::string> missing;
  for (const SlotClaim& claim : descriptor.slots) {
    if (!host.slots.count(claim.slot)) missing.push_back(std::string("slot ") + name_of(claim.slot));
  }
  for (const ServiceOffer& offer : descriptor.gives) {
    if (!host.givable.count(offer.service)) missing.push_back("giving the service " + offer.service);
  }
  for (const Need& need : descriptor.needs) {
    const bool interface = need.kind == Need::Kind::kInterface;
    if (interface && !host.interfaces.count(need.id)) missing.push_back("host interface " + need.id);
  }
  return missing;
}

std::string host_text() {
  std::string text = "This host (ABI " + std::to_string(SZ_ABI_VERSION) + ", draft " + std::to_string(SZ_DRAFT) +
                     ") serves:\n  interfaces ";
  std::vector<std::string> ids, partial;
  for (const InterfaceEntry& entry : host_interfaces()) {
    ids.push_back(entry.id);
    if (*entry.unsupported) partial.push_back(std::string(entry.id) + ": " + entry.unsupported);
  }
  text += joined(ids) + "\n";
  for (const std::string& line : partial) text += "  not yet in " + line + "\n";
  std::vector<std::string> slots, services;
  for (const Slot slot : host_offer_to_plans().slots) slots.push_back(name_of(slot));
  for (const std::string& service : host_offer_to_plans().givable) services.push_back(service);
  text += "  slots " + joined(slots) + "\n  services " + joined(services) + "\n";
  return text + "  not yet the service sz.source/1\n";
}

std::string describe(const PluginLibrary& library) {
  const Descriptor& d = library.descriptor;
  std::string text = d.id + " " + d.version + "  (" + d.licence + ")\n" + d.summary + "\n";
  if (!d.summary_zh.empty()) text += d.summary_zh + "\n";
  text += "file: " + library.path + "\n";
  section(text, "needs", d.needs, need_text);
  section(text, "slots", d.slots, [](const SlotClaim& claim) {
    return std::string("  ") + name_of(claim.slot) + when_text(claim.when) + "\n";
  });
  section(text, "services", d.gives, [](const ServiceOffer& offer) {
    return "  " + offer.service + " '" + offer.name + "'" + when_text(offer.when) + "\n";
  });
  section(text, "hooks", d.hooks, hook_text);
  if (d.votes) text += "votes: yes\n";
  if (d.state) {
    text += "state: version " + std::to_string(d.state->version) +
            (d.state->rollback ? ", in checkpoints and rollbacks\n" : ", in checkpoints\n");
  }
  section(text, "keys", d.keys, [&](const KeySpec& key) { return key_text(d, key); });
  section(text, "unsupported by this host", unserved(d), [](const std::string& line) { return "  " + line + "\n"; });
  return text;
}

std::string one_line(const std::string& message) { return message.substr(0, message.find('\n')); }

}  // namespace

std::string list_text(const SearchPath& search) {
  std::string text;
  for (const FoundPlugin& found : all_plugins(search)) {
    try {
      const PluginLibrary library = PluginLibrary::open(found.path, "");
      const Descriptor& d = library.descriptor;
      text += padded(d.id, 24) + padded(d.version, 10) + d.summary + "\n";
    } catch (const Error& error) {
      text += padded(found.name, 24) + "can't be used: " + one_line(error.what()) + "\n";
    }
  }
  if (!text.empty()) return text;
  text = "No plugins found. Looked in:\n";
  for (const SearchPath::Folder& folder : search.folders) text += "  " + folder.path + " (" + folder.origin + ")\n";
  return text;
}

std::string info_text(const std::string& name, const SearchPath& search) {
  const bool is_path = name.find('/') != std::string::npos;
  const PluginLibrary library = PluginLibrary::open(is_path ? name : find_plugin(name, search), "");
  return describe(library) + "\n" + host_text();
}

std::string hook_time_text(const HookTable& hooks) {
  std::string text;
  for (const HookTable::Entry& entry : const_cast<HookTable&>(hooks).entries()) {
    if (entry.calls == 0) continue;
    std::string at;
    for (int h = 0; h < kHookCount; ++h) {
      if (entry.mask >> h & 1) at += (at.empty() ? "" : ",") + std::string(name_of(Hook(h)));
    }
    char numbers[96];
    std::snprintf(numbers, sizeof(numbers), "%10llu calls  %10.3f ms  %9.3f us a call",
                  static_cast<unsigned long long>(entry.calls), entry.seconds * 1e3,
                  entry.seconds * 1e6 / double(entry.calls));
    text += padded(entry.observer->name(), 24) + padded(at, 20) + numbers + (entry.disabled ? "  disabled" : "") + "\n";
  }
  return text;
}

std::string plan_text(PluginHost& host, const Config& config) { return host.make_plan(config).text(); }

}  // namespace sz
