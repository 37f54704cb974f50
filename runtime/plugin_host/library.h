// A plugin's shared object in this process: checked, opened, its entry called and its descriptor read. Nothing
// of the plugin has been created yet, so that lists and plans need no device and no run.
#pragma once
#include <string>

#include "plugin_host/descriptor.h"

struct sz_plugin;

namespace sz {

struct PluginLibrary {
  std::string path;
  std::string checksum;  // xxh3-128 of its bytes
  Descriptor descriptor;
  const sz_plugin* plugin = nullptr;  // lives until the process ends

  // `sha256`: a pin, or empty. A library is never unloaded: autograd nodes and threads may outlive any stop.
  // Errors: Error(kPlugin) naming the path. Thread: any, several at a time.
  static PluginLibrary open(const std::string& path, const std::string& sha256);
};

}  // namespace sz
