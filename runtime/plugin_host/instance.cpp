#include "plugin_host/instance.h"

#include <sz/host/config.h>

#include "base/log.h"
#include "plugin_host/arguments.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

const void* get_interface(const sz_host* host, const char* id) {
  if (!host || !id) return nullptr;
  if (instance_of(host).in(kCheck)) return std::string(id) == SZ_CONFIG ? host_interface(id) : nullptr;
  if (!instance_of(host).in(kStart | kRun | kStop)) return nullptr;
  return host_interface(id);
}

const char* phase_name(Phase phase) {
  switch (phase) {
    case Phase::kLoaded: return "before create";
    case Phase::kCreated: return "in create, where no host calls are allowed";
    case Phase::kStarting: return "in start";
    case Phase::kRunning: return "while running";
    case Phase::kStopping: return "in stop";
    case Phase::kDead: return "after stop";
    case Phase::kChecking: return "in check";
  }
  return "?";
}

}  // namespace

PluginInstance::PluginInstance(const PluginLibrary& library, const PlannedPlugin& plan, HostRun& run)
    : library_(library), plan_(plan), run_(run) {
  host_ = {sizeof(sz_host), SZ_ABI_VERSION, &host_offer(), this, &get_interface};
}

PluginInstance::~PluginInstance() {
  stop();
  destroy();
}

void PluginInstance::create() {
  phase_ = Phase::kCreated;
  sz_error* error = library_.plugin->create(&host_, &self_);
  if (!error) return;
  phase_ = Phase::kDead;
  throw take_error(error, id(), "create failed");
}

void PluginInstance::start() {
  phase_ = Phase::kStarting;
  if (library_.plugin->start) {
    if (sz_error* error = library_.plugin->start(self_)) {
      phase_ = Phase::kCreated;  // only destroy follows
      throw take_error(error, id(), "start failed");
    }
  }
  phase_ = Phase::kRunning;
}

void PluginInstance::stop() noexcept {
  if (phase_ != Phase::kRunning) return;
  phase_ = Phase::kStopping;
  if (library_.plugin->stop) library_.plugin->stop(self_);
  phase_ = Phase::kCreated;
}

void PluginInstance::destroy() noexcept {
  if (phase_ != Phase::kCreated) return;
  phase_ = Phase::kDead;
  library_.plugin->destroy(self_);
  self_ = nullptr;
}

std::string PluginInstance::check(const sz_check& run) {
  SZ_ASSERT(phase_ == Phase::kLoaded);
  if (!SZ_HAS(library_.plugin, sz_plugin, check) || !library_.plugin->check) return "";
  std::string warnings;
  const sz_sink sink = string_sink(warnings);
  phase_ = Phase::kChecking;
  sz_error* error = library_.plugin->check(&host_, &run, &sink);
  phase_ = Phase::kLoaded;
  if (error) throw take_error(error, id(), "check failed");
  return warnings;
}

bool PluginInstance::has_extension(const char* id) const {
  return library_.plugin->get_extension && library_.plugin->get_extension(self_, id) != nullptr;
}

const void* PluginInstance::extension(const char* id, size_t size) const {
  const void* table = library_.plugin->get_extension ? library_.plugin->get_extension(self_, id) : nullptr;
  const std::string who = "plugin '" + this->id() + "': ";
  if (!table) throw Error(Exit::kPlugin, who + "its descriptor needs extension " + id + ", which it doesn't have");
  // Every extension begins with its struct_size.
  if (*static_cast<const uint32_t*>(table) < size) {
    throw Error(Exit::kPlugin, who + "extension " + id + " is shorter than this host's; rebuild it with its SDK");
  }
  return table;
}

PluginInstance::Provided PluginInstance::provide(const std::string& service, const std::string& name) {
  const auto [it, added] = provided_.try_emplace(service + " " + name);
  if (added) {
    it->second.object = self_;
    it->second.table = library_.plugin->provide(self_, service.c_str(), name.c_str(), &it->second.object);
  }
  if (!it->second.table) {
    throw Error(Exit::kPlugin, "plugin '" + id() + "': gives service " + service + " '" + name +
                                   "' in its descriptor, but doesn't provide it");
  }
  return it->second;
}

void PluginInstance::require_main(const char* function) const {
  if (on_main()) return;
  throw Error(Exit::kPlugin, std::string(function) + " was called on another thread than the main one");
}

void PluginInstance::require_phase(const char* function, uint32_t phases) const {
  if (in(phases)) return;
  throw Error(Exit::kPlugin, std::string(function) + " was called " + phase_name(phase_) + ", where it isn't allowed");
}

const std::vector<sz_string>& PluginInstance::keep_strings(const std::string& key,
                                                           const std::vector<std::string>& values) {
  const std::lock_guard lock(kept_mutex_);
  std::vector<sz_string>& kept = kept_[key];
  if (kept.empty()) {
    for (const std::string& value : values) kept.push_back({value.c_str(), value.size()});
  }
  return kept;
}

bool PluginInstance::disabled() const {
  for (const size_t entry : entries) {
    if (hooks->entries()[entry].disabled) return true;
  }
  return false;
}

void PluginInstance::fail_observer(const std::string& where, const std::string& why) {
  log::warn("plugin " + id() + " failed in " + where + " and is not called again: " + why);
  if (entries.empty()) return;
  HookTable::Entry& entry = hooks->entries()[entries.front()];
  if (entry.failed) return;
  entry.failed = true;
  entry.failed_in = where;
  entry.error = why;
}

}  // namespace sz
