// sz.config/1
#include <sz/host/config.h>

#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

const char* type_name(KeyType type) {
  static constexpr const char* kNames[] = {"bool", "int", "float", "string", "list of strings", "list of floats"};
  return kNames[int(type)];
}

std::string whole_path(const PluginInstance& plugin, const char* key) {
  const std::string name = required_text(key, "key");
  return name.find('.') == std::string::npos ? "plugins." + plugin.id() + "." + name : name;
}

// The key's path, which the schema knows with this type and which has a value.
std::string checked_path(PluginInstance& plugin, const char* key, KeyType type) {
  plugin.require_phase("sz.config", kCheck | kStart | kRun | kStop);
  const Config& config = *plugin.run().context.config;
  const std::string path = whole_path(plugin, key);
  const KeySpec* spec = config.schema().find(path);
  if (!spec) throw Error(Exit::kPlugin, "there is no configuration key " + path);
  if (spec->type != type) {
    throw Error(Exit::kPlugin, "configuration key " + path + " is a " + type_name(spec->type) + ", read as a " +
                                   type_name(type));
  }
  if (!config.has(path)) throw Error(Exit::kPlugin, "configuration key " + path + " has no value; ask has() first");
  return path;
}

sz_bool has(const sz_host* host, const char* key) {
  sz_bool found = 0;
  sz_error* error = guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_phase("sz.config has", kCheck | kStart | kRun | kStop);
    found = plugin.run().context.config->has(whole_path(plugin, key)) ? 1 : 0;
  });
  host_offer().free_error(error);
  return found;
}

sz_error* get_bool(const sz_host* host, const char* key, sz_bool* value) {
  return guarded([&] {
    require_pointer(value, "value");
    PluginInstance& plugin = instance_of(host);
    *value = plugin.run().context.config->get_bool(checked_path(plugin, key, KeyType::kBool)) ? 1 : 0;
  });
}

sz_error* get_int(const sz_host* host, const char* key, int64_t* value) {
  return guarded([&] {
    require_pointer(value, "value");
    PluginInstance& plugin = instance_of(host);
    *value = plugin.run().context.config->get_int(checked_path(plugin, key, KeyType::kInt));
  });
}

sz_error* get_float(const sz_host* host, const char* key, double* value) {
  return guarded([&] {
    require_pointer(value, "value");
    PluginInstance& plugin = instance_of(host);
    *value = plugin.run().context.config->get_float(checked_path(plugin, key, KeyType::kFloat));
  });
}

sz_error* get_string(const sz_host* host, const char* key, sz_string* value) {
  return guarded([&] {
    require_pointer(value, "value");
    PluginInstance& plugin = instance_of(host);
    const std::string& text = plugin.run().context.config->get_string(checked_path(plugin, key, KeyType::kString));
    *value = {text.c_str(), text.size()};
  });
}

sz_error* get_string_list(const sz_host* host, const char* key, const sz_string** values, uint64_t* count) {
  return guarded([&] {
    require_pointer(values, "values");
    require_pointer(count, "count");
    PluginInstance& plugin = instance_of(host);
    const std::string path = checked_path(plugin, key, KeyType::kStringList);
    const auto& kept = plugin.keep_strings(path, plugin.run().context.config->get_string_list(path));
    *values = kept.data();
    *count = kept.size();
  });
}

sz_error* get_float_list(const sz_host* host, const char* key, const double** values, uint64_t* count) {
  return guarded([&] {
    require_pointer(values, "values");
    require_pointer(count, "count");
    PluginInstance& plugin = instance_of(host);
    const auto& list = plugin.run().context.config->get_float_list(checked_path(plugin, key, KeyType::kFloatList));
    *values = list.data();
    *count = list.size();
  });
}

}  // namespace

const void* config_interface() {
  static const sz_config table = {sizeof(sz_config), 0,           &has,        &get_bool,       &get_int,
                                  &get_float,        &get_string, &get_string_list, &get_float_list};
  return &table;
}

}  // namespace sz
