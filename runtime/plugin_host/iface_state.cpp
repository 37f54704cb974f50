// sz.state/1
#include <sz/host/state.h>

#include <algorithm>

#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

sz_error* changed(const sz_host* host) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.state changed");
    plugin.require_phase("sz.state changed", kRun);
    const std::vector<Slot>& slots = plugin.plan().slots;
    if (std::find(slots.begin(), slots.end(), Slot::kSampler) == slots.end()) {
      throw Error(Exit::kPlugin, "sz.state changed is for the owner of the slot sampler alone");
    }
    ++plugin.run().sampler_revision;
  });
}

}  // namespace

const void* state_interface() {
  static const sz_state_api table = {sizeof(sz_state_api), 0, &changed};
  return &table;
}

}  // namespace sz
