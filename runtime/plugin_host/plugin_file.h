// What can be told of a plugin's file before any of its code runs.
#pragma once
#include <cstdint>
#include <string>

namespace sz {

// From its ELF note.
struct PluginNote {
  uint32_t abi_min = 0, abi_max = 0;
  uint32_t draft = 0;
};

// Checks that `path` is a regular, readable file that not everybody may write, a whole shared object for this machine,
// has the note of a plugin and, where `sha256` isn't empty, that very checksum.
// Errors: Error(kPlugin) "PATH: what is wrong; what to do". A file that its group may write gives a warning.
PluginNote check_plugin_file(const std::string& path, const std::string& sha256);

// Whether this host can speak with it. Errors: Error(kPlugin) with both sides' versions.
void check_versions(const PluginNote& note, const std::string& path);

}  // namespace sz
