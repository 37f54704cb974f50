// A configuration file with its plugins' keys, checked as a whole.
#pragma once
#include <memory>

#include "app/worker.h"
#include "plugin_host/loaded_plugins.h"

namespace sz {

// Opens the libraries of the enabled plugins and resolves the file against all schemas. Never null.
// Errors: one report of everything; Error(kPlugin) where only plugins are at fault, else Error(kUsage).
std::unique_ptr<LoadedPlugins> load_config(const RunArguments& arguments);

}  // namespace sz
