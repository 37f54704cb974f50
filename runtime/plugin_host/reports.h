// Texts of `plugins list`, `plugins info NAME` and `plugins plan CONFIG`. No plugin is created for them.
#pragma once
#include <string>

#include "base/config.h"
#include "plugin_host/host.h"
#include "plugin_host/search.h"

namespace sz {

// A line a plugin on the search path; one that can't be used says why.
std::string list_text(const SearchPath& search);

// `name`: of a plugin on the path, or a path to a .so file. What it does, its keys, and what of it this host doesn't
// serve. Errors: Error(kPlugin).
std::string info_text(const std::string& name, const SearchPath& search);

// The load plan of a configuration, for people. Errors: Error(kPlugin) with all faults.
std::string plan_text(PluginHost& host, const Config& config);

// Calls and time of each plugin at each hook, a line each; empty where nothing was watched.
std::string hook_time_text(const HookTable& hooks);

}  // namespace sz
