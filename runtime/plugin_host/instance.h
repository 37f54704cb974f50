// One plugin's object in one run: its life, its extensions, and the checks that every host call makes.
#pragma once
#include <sz/plugin.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin_host/error_bridge.h"
#include "plugin_host/library.h"
#include "plugin_host/load_plan.h"
#include "plugin_host/run_context.h"

namespace sz {

enum class Phase : uint32_t { kLoaded = 1, kCreated = 2, kStarting = 4, kRunning = 8, kStopping = 16, kDead = 32,
                              kChecking = 64 };

class PluginInstance {
 public:
  // All three are borrowed and outlive the instance.
  PluginInstance(const PluginLibrary& library, const PlannedPlugin& plan, HostRun& run);
  ~PluginInstance();  // stops and destroys what still is
  PluginInstance(const PluginInstance&) = delete;

  // Errors: Error(kPlugin) naming the plugin. Thread: main.
  void create();
  void start();
  void stop() noexcept;
  void destroy() noexcept;
  // Warnings about its configuration, a line each; instead of create, not after it. Errors: Error(kPlugin).
  std::string check(const sz_check& run);

  const std::string& id() const { return library_.descriptor.id; }
  const Descriptor& descriptor() const { return library_.descriptor; }
  const PlannedPlugin& plan() const { return plan_; }
  HostRun& run() { return run_; }
  void* self() const { return self_; }
  Phase phase() const { return phase_; }

  // The plugin's table `id`, which is at least `size` bytes long. Errors: Error(kPlugin), also where it has none.
  template <class T>
  const T* extension(const char* id) const {
    return static_cast<const T*>(extension(id, sizeof(T)));
  }
  // Whether the plugin has it at all; asked after start.
  bool has_extension(const char* id) const;
  struct Provided {
    const void* table = nullptr;
    void* object = nullptr;
  };
  // Of a service that the plan kept. Asked for once. Errors: Error(kPlugin).
  Provided provide(const std::string& service, const std::string& name);

  // Checks of host functions; Error(kPlugin) naming the function. `phases`: those allowed, combined.
  void require_main(const char* function) const;
  void require_phase(const char* function, uint32_t phases) const;
  bool on_main() const { return std::this_thread::get_id() == run_.main_thread; }
  bool in(uint32_t phases) const { return uint32_t(phase_.load()) & phases; }

  // Host-side memory lent to the plugin until it's destroyed: lists of sz.config/1. Any thread.
  const std::vector<sz_string>& keep_strings(const std::string& key, const std::vector<std::string>& values);

  // Indices into the run's ScalarBoard that this plugin registered.
  std::vector<uint32_t> scalars;
  // Entries of the hook table that stand for this plugin; any of them disabled or failed means all of it.
  HookTable* hooks = nullptr;
  std::vector<size_t> entries;
  bool silenced() const {  // its observer failed, here or on another rank; inline: asked at every call of a hook
    for (const size_t entry : entries) {
      if (hooks->entries()[entry].disabled || hooks->entries()[entry].failed) return true;
    }
    return false;
  }
  bool disabled() const;   // the same, once all ranks know it
  void fail_observer(const std::string& where, const std::string& why);  // as if a hook of it had failed
  std::atomic<uint32_t> requests = 0;  // made of the run since the last VERDICT, bits by sz_request; any thread

 private:
  const void* extension(const char* id, size_t size) const;

  const PluginLibrary& library_;
  const PlannedPlugin& plan_;
  HostRun& run_;
  sz_host host_{};
  void* self_ = nullptr;
  std::atomic<Phase> phase_ = Phase::kLoaded;
  std::map<std::string, Provided> provided_;
  std::mutex kept_mutex_;
  std::map<std::string, std::vector<sz_string>> kept_;
};

constexpr uint32_t kStart = uint32_t(Phase::kStarting);
constexpr uint32_t kRun = uint32_t(Phase::kRunning);
constexpr uint32_t kStop = uint32_t(Phase::kStopping);
constexpr uint32_t kCheck = uint32_t(Phase::kChecking);

// The instance behind a host handle.
inline PluginInstance& instance_of(const sz_host* host) { return *static_cast<PluginInstance*>(host->impl); }

}  // namespace sz
