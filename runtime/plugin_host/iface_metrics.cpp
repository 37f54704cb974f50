// sz.metrics/1
#include <sz/host/metrics.h>

#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

sz_error* publish(const sz_host* host, const char* name, double value) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.metrics publish");
    plugin.require_phase("sz.metrics publish", kRun);
    plugin.run().context.services->metrics.publish(plugin.id() + "." + required_text(name, "name"), value);
  });
}

sz_bool read(const sz_host* host, const char* name, double* value) {
  PluginInstance& plugin = instance_of(host);
  if (!name || !value || !plugin.on_main() || !plugin.in(kRun)) return 0;
  return plugin.run().context.services->metrics.read(name, *value) ? 1 : 0;
}

}  // namespace

const void* metrics_interface() {
  static const sz_metrics table = {sizeof(sz_metrics), 0, &publish, &read};
  return &table;
}

}  // namespace sz
