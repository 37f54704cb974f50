// Checking a document against a schema: every fault in one report.
#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "base/config_value.h"
#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

// "file:12:3: rest"; no place where it does not begin so.
Provenance place_of(const std::string& line) {
  if (line.starts_with("--set ")) return {};
  for (size_t first = line.find(':'); first != std::string::npos; first = line.find(':', first + 1)) {
    Provenance where{line.substr(0, first), 0, 0};
    const char* end = line.data() + line.size();
    const auto row = std::from_chars(line.data() + first + 1, end, where.line);
    if (row.ec != std::errc() || row.ptr == end || *row.ptr != ':') continue;
    const auto column = std::from_chars(row.ptr + 1, end, where.column);
    if (column.ec == std::errc() && column.ptr != end && *column.ptr == ':') return where;
  }
  return {};
}

class Resolver {
 public:
  Resolver(const ConfigDocument::Impl& doc, const Schema& schema) : doc_(doc), out_(std::make_shared<Config::Impl>()) {
    add_keys(schema);
    for (const KeySpec& spec : out_->schema.keys()) {
      for (std::string table = parent_of(spec.path); !table.empty(); table = parent_of(table)) tables_.insert(table);
    }
    tables_.insert("plugins");
  }

  std::shared_ptr<const Config::Impl> resolve(std::vector<std::string>& faults) {
    for (const auto& [path, where] : doc_.tables) check_table(path, where);
    for (const auto& [path, entry] : doc_.entries) check_entry(path, entry);
    for (const KeySpec& spec : out_->schema.keys()) complete(spec);
    faults.insert(faults.end(), faults_.begin(), faults_.end());
    return out_;
  }

 private:
  // The schema, and the keys that every plugin's table may hold.
  void add_keys(const Schema& schema) {
    out_->schema = schema;
    for (const KeySpec& spec : schema.keys()) {
      if (const std::string plugin = plugin_of(spec.path); !plugin.empty()) described_.insert(plugin);
    }
    std::set<std::string> plugins(doc_.plugins.begin(), doc_.plugins.end());
    plugins.insert(described_.begin(), described_.end());
    for (const std::string& plugin : plugins) {
      for (const KeySpec& spec : keys_of_every_plugin(plugin)) {
        if (!out_->schema.find(spec.path)) out_->schema.add(spec);
      }
    }
  }

  bool passes_unchecked(const std::string& path) const {
    const std::string plugin = plugin_of(path);
    return !plugin.empty() && !described_.contains(plugin);
  }

  bool in_unknown_table(const std::string& path) const {
    for (std::string table = parent_of(path); !table.empty(); table = parent_of(table)) {
      if (unknown_tables_.contains(table)) return true;
    }
    return false;
  }

  void fault(const Provenance& where, const std::string& path, const std::string& what) {
    const std::string cited = where.text();
    faults_.push_back((cited.empty() ? "" : cited + ": ") + path + ": " + what);
    out_->faulty.insert(path);
  }

  void unknown(const Provenance& where, const std::string& path, const std::string& what) {
    fault(where, path, what);
    out_->has_unknown = true;
  }

  void check_table(const std::string& path, const Provenance& where) {
    if (tables_.contains(path) || passes_unchecked(path + ".") || in_unknown_table(path)) return;
    if (const KeySpec* spec = out_->schema.find(path)) {
      // Where a later file or --set gave a value, the table is gone.
      if (doc_.entries.contains(path)) return;
      unknown_tables_.insert(path);
      unknown(where, path, "is a table, but the key takes one value" + help_of(*spec));
      return;
    }
    unknown_tables_.insert(path);
    const std::vector<std::string> candidates(tables_.begin(), tables_.end());
    const auto near = did_you_mean(path, candidates);
    unknown(where, path, "unknown table" + (near ? "; did you mean [" + *near + "]?" : ""));
  }

  void check_entry(const std::string& path, const Entry& entry) {
    if (const KeySpec* spec = out_->schema.find(path)) {
      std::string what;
      if (auto value = convert(*spec, entry, what)) {
        out_->values.emplace(path, std::move(*value));
        out_->where.emplace(path, entry.where);
      } else {
        fault(entry.where, path, what);
      }
    } else if (passes_unchecked(path)) {
      check_switch(path, entry);
      out_->unchecked.emplace(path, to_toml(entry.value));
    } else if (tables_.contains(path)) {
      const std::string advice = "; write [" + path + "] above its keys";
      unknown(entry.where, path, "is a table of keys, got " + describe(entry.value) + advice);
    } else if (entry.from_set || !in_unknown_table(path)) {
      const std::string near = nearest_key(path);
      unknown(entry.where, path, "unknown key" + (near.empty() ? "" : "; did you mean " + near + "?"));
    }
  }

  // A misspelt `enabled` would leave a plugin out without a word.
  void check_switch(const std::string& path, const Entry& entry) {
    const std::string meant = "plugins." + plugin_of(path) + ".enabled";
    const bool near = parent_of(path) == parent_of(meant) && edit_distance(name_of(path), "enabled") <= 2;
    if (near && !doc_.entries.contains(meant)) unknown(entry.where, path, "unknown key; did you mean " + meant + "?");
  }

  // A slip within the same table first, then the whole path, then the same name in another table.
  std::string nearest_key(const std::string& path) const {
    std::vector<std::string> siblings, all;
    std::string same_name;
    for (const KeySpec& spec : out_->schema.keys()) {
      all.push_back(spec.path);
      if (parent_of(spec.path) == parent_of(path)) siblings.push_back(name_of(spec.path));
      if (same_name.empty() && name_of(spec.path) == name_of(path)) same_name = spec.path;
    }
    const std::string table = parent_of(path);
    if (const auto near = did_you_mean(name_of(path), siblings)) return (table.empty() ? "" : table + ".") + *near;
    if (!same_name.empty()) return same_name;
    return did_you_mean(path, all).value_or("");
  }

  static std::string help_of(const KeySpec& spec) { return spec.help.empty() ? "" : " (" + spec.help + ")"; }

  // The default, or a fault where the key must be given.
  void complete(const KeySpec& spec) {
    if (out_->values.contains(spec.path)) return;
    if (!spec.default_toml.empty()) {
      const std::string wrong = fault_of_default(spec);
      if (!wrong.empty()) assertion_failed(__FILE__, __LINE__, wrong.c_str());
      std::string ignored;
      out_->values.emplace(spec.path, *convert(spec, {parse_value(spec.default_toml), {}, false, ""}, ignored));
      return;
    }
    const std::string plugin = plugin_of(spec.path);
    if (!spec.required || out_->faulty.contains(spec.path) || (!plugin.empty() && !enabled(plugin))) return;
    fault({doc_.name, 0, 0}, spec.path, "is missing and must be given" + help_of(spec));
  }

  bool enabled(const std::string& plugin) const {
    const auto it = doc_.entries.find("plugins." + plugin + ".enabled");
    const bool* value = it == doc_.entries.end() ? nullptr : std::get_if<bool>(&it->second.value.data);
    return value && *value;
  }

  const ConfigDocument::Impl& doc_;
  std::shared_ptr<Config::Impl> out_;
  std::set<std::string> tables_;     // that the schema has
  std::set<std::string> described_;  // plugins that the given schema knows
  std::set<std::string> unknown_tables_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<KeySpec> keys_of_every_plugin(const std::string& plugin) {
  const std::string table = "plugins." + plugin + ".";
  KeySpec path{table + "path", KeyType::kString, "", "its file, else the search path decides"};
  path.per_host = path.filled = true;
  KeySpec pin{table + "sha256", KeyType::kString, "", "its file's SHA-256, checked before it is loaded"};
  pin.filled = true;
  return {{table + "enabled", KeyType::kBool, "false", "load this plugin"}, path, pin};
}

Config Config::resolve(const ConfigDocument& doc, const Schema& schema, const std::vector<std::string>& extra) {
  std::vector<std::string> faults = extra;
  Config config = resolve_partly(doc, schema, faults);
  if (!faults.empty()) throw Error(Exit::kUsage, sorted_report(std::move(faults)));
  return config;
}

Config Config::resolve_partly(const ConfigDocument& doc, const Schema& schema, std::vector<std::string>& faults) {
  Resolver resolver(*doc.impl, schema);
  Config config;
  config.impl = resolver.resolve(faults);
  return config;
}

std::string sorted_report(std::vector<std::string> faults) {
  const auto key = [](const std::string& line) {
    const Provenance where = place_of(line);
    return std::tuple(where.line == 0, where.file, where.line, where.column);
  };
  std::stable_sort(faults.begin(), faults.end(),
                   [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  return joined(faults, "\n");
}

}  // namespace sz
