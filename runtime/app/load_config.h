// A configuration file with its plugins' keys, checked as a whole.
#pragma once
#include "app/worker.h"
#include "base/config.h"
#include "plugin_host/host.h"

namespace sz {

// Opens the libraries of the enabled plugins into `plugins` and resolves the file against all schemas.
// Errors: one report of everything; Error(kPlugin) where only plugins are at fault, else Error(kUsage).
Config load_config(const RunArguments& arguments, PluginHost& plugins);

}  // namespace sz
