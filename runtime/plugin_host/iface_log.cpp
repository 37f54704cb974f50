// sz.log/1
#include <sz/host/log.h>

#include "base/log.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

log::Level level_of(sz_log_level level) {
  switch (level) {
    case SZ_LOG_DEBUG: return log::Level::kDebug;
    case SZ_LOG_INFO: return log::Level::kInfo;
    case SZ_LOG_WARN: return log::Level::kWarn;
    default: return log::Level::kError;
  }
}

void write(const sz_host* host, sz_log_level level, const char* message) {
  sz_error* error = guarded([&] {
    PluginInstance& plugin = instance_of(host);
    if (plugin.in(kStart | kRun | kStop)) log::write(level_of(level), plugin.id() + ": " + (message ? message : ""));
  });
  host_offer().free_error(error);
}

}  // namespace

const void* log_interface() {
  static const sz_log table = {sizeof(sz_log), 0, &write};
  return &table;
}

}  // namespace sz
