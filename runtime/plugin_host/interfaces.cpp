#include "plugin_host/interfaces.h"

#include <sz/host/alloc.h>
#include <sz/host/comm.h>
#include <sz/host/config.h>
#include <sz/host/data.h>
#include <sz/host/decisions.h>
#include <sz/host/events.h>
#include <sz/host/hooks.h>
#include <sz/host/log.h>
#include <sz/host/metrics.h>
#include <sz/host/model.h>
#include <sz/host/rng.h>
#include <sz/host/run.h>
#include <sz/host/services.h>
#include <sz/host/state.h>
#include <sz/host/tensor.h>
#include <sz/host/torch.h>

namespace sz {

const std::vector<InterfaceEntry>& host_interfaces() {
  static const std::vector<InterfaceEntry> entries = {
      {SZ_CONFIG, &config_interface, ""},
      {SZ_LOG, &log_interface, ""},
      {SZ_METRICS, &metrics_interface, ""},
      {SZ_DECISIONS, &decisions_interface, ""},
      {SZ_EVENTS, &events_interface, ""},
      {SZ_RUN, &run_interface, ""},
      {SZ_STATE, &state_interface, ""},
      {SZ_RNG, &rng_interface, ""},
      {SZ_COMM, &comm_interface, ""},
      {SZ_TENSOR, &tensor_interface, ""},
      {SZ_TORCH, &torch_interface, ""},
      {SZ_HOOKS, &hooks_interface, ""},
      {SZ_MODEL, &model_interface, ""},
      {SZ_DATA, &data_interface, ""},
      {SZ_SERVICES, &services_interface, "the runtime's own providers (those of plugins are there)"},
      {SZ_ALLOC, &alloc_interface, ""},
  };
  return entries;
}

const void* host_interface(const std::string& id) {
  for (const InterfaceEntry& entry : host_interfaces()) {
    if (id == entry.id) return entry.table();
  }
  return nullptr;
}

}  // namespace sz
