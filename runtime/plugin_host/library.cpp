#include "plugin_host/library.h"

#include <sz/plugin.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "plugin_host/error_bridge.h"
#include "plugin_host/plugin_file.h"

namespace sz {
namespace {

using Library = boost::dll::shared_library;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(Exit::kPlugin, path + ": " + what);
}

// Opened and kept: destructors of statics must not unload what threads still run.
Library& new_library() {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::unique_ptr<Library>>;
  const std::lock_guard lock(mutex);  // ranks that are threads open theirs at the same time
  return *kept->emplace_back(std::make_unique<Library>());
}

Library& open_library(const std::string& path) {
  Library& library = new_library();
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  try {
    library.load(absolute, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  } catch (const std::exception& error) {
    fail(path, std::string("can't be loaded: ") + error.what());
  }
  return library;
}

const sz_plugin* call_entry(Library& library, const std::string& path) {
  if (!library.has(SZ_PLUGIN_ENTRY)) {
    fail(path, std::string("doesn't export ") + SZ_PLUGIN_ENTRY + "; build it with sz_add_plugin()");
  }
  const auto entry = &library.get<const sz_plugin*(const sz_offer*, sz_error**)>(SZ_PLUGIN_ENTRY);
  sz_error* error = nullptr;
  const sz_plugin* plugin = entry(&host_offer(), &error);
  if (error) throw take_error(error, path, "its entry refuses this host");
  if (!plugin) fail(path, "its entry returned nothing and no reason; the plugin must be mended");
  return plugin;
}

// Up to get_extension: provide() is asked for where the descriptor gives a service.
void check_table(const sz_plugin& plugin, const std::string& path) {
  if (!SZ_HAS(&plugin, sz_plugin, provide)) fail(path, "its table is too short; rebuild it with this host's SDK");
  if (plugin.abi != SZ_ABI_VERSION) {
    fail(path, "speaks ABI version " + std::to_string(plugin.abi) + ", this host version " +
                   std::to_string(SZ_ABI_VERSION) + "; rebuild it with the SDK that came with this host");
  }
  if (!plugin.create || !plugin.destroy) fail(path, "lacks create or destroy; the plugin must be mended");
}

void check_promises(const PluginLibrary& library) {
  const Descriptor& descriptor = library.descriptor;
  const bool extends = !descriptor.hooks.empty() || !descriptor.slots.empty() || descriptor.votes || descriptor.state;
  if (extends && !library.plugin->get_extension) {
    fail(library.path, "claims hooks, slots, votes or state but lacks get_extension");
  }
  if (!descriptor.gives.empty() && !library.plugin->provide) fail(library.path, "gives services but lacks provide");
}

}  // namespace

PluginLibrary PluginLibrary::open(const std::string& path, const std::string& sha256) {
  check_versions(check_plugin_file(path, sha256), path);
  PluginLibrary result;
  result.path = path;
  result.checksum = xxh3_128_hex_of_file(path);
  result.plugin = call_entry(open_library(path), path);
  check_table(*result.plugin, path);
  const sz_descriptor* descriptor = result.plugin->descriptor;
  if (descriptor && descriptor->struct_size >= 8 && descriptor->draft != SZ_DRAFT) {
    fail(path, "its descriptor is of draft " + std::to_string(descriptor->draft) + ", this host has draft " +
                   std::to_string(SZ_DRAFT) + "; rebuild it with the SDK that came with this host");
  }
  result.descriptor = copy_descriptor(descriptor, path);
  check_promises(result);
  return result;
}

}  // namespace sz
