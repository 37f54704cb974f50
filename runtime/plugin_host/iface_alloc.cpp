// sz.alloc/1
#include <sz/host/alloc.h>

#include "ops/allocator.h"
#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

sz_error* read(const sz_host* host, sz_alloc_info* info) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_phase("sz.alloc read", kStart | kRun);
    require_pointer(info, "info");
    require_size(info->struct_size, sizeof(sz_alloc_info), "info");
    const AllocatorStats stats = allocator_stats();
    *info = {info->struct_size,           0, uint64_t(stats.live_bytes), uint64_t(stats.peak_bytes),
             uint64_t(stats.cached_bytes), plugin.run().context.memory_limit};
  });
}

sz_error* reset_peak_bytes(const sz_host* host) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.alloc reset_peak");
    plugin.require_phase("sz.alloc reset_peak", kRun);
    reset_peak();
  });
}

}  // namespace

const void* alloc_interface() {
  static const sz_alloc table = {sizeof(sz_alloc), 0, &read, &reset_peak_bytes};
  return &table;
}

}  // namespace sz
