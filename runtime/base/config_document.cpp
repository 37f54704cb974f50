// Reading: TOML text to flat paths with their places, includes, --set.
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <tuple>

#include "base/config_value.h"
#include "base/error.h"
#include "base/files.h"

namespace sz {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(Exit::kUsage, message); }

bool is_bare(std::string_view key) {
  const auto bare = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return !key.empty() && std::all_of(key.begin(), key.end(), bare);
}

std::string join_path(const std::string& table, std::string_view key) {
  const std::string part = is_bare(key) ? std::string(key) : quote(std::string(key));
  return table.empty() ? part : table + "." + part;
}

std::string kind_name(toml::node_type type) {
  switch (type) {
    case toml::node_type::table: return "table";
    case toml::node_type::date: return "date";
    case toml::node_type::time: return "time";
    case toml::node_type::date_time: return "date and time";
    default: return "value";
  }
}

RawValue to_raw(const toml::node& node) {
  if (const auto* v = node.as_boolean()) return {v->get()};
  if (const auto* v = node.as_integer()) return {v->get()};
  if (const auto* v = node.as_floating_point()) return {v->get()};
  if (const auto* v = node.as_string()) return {v->get()};
  if (const auto* v = node.as_array()) {
    RawList list;
    for (const toml::node& element : *v) list.push_back(to_raw(element));
    return {std::move(list)};
  }
  std::ostringstream text;
  toml::toml_formatter formatter(node, toml::format_flags::none);
  text << formatter;
  std::string line = text.str();
  std::replace(line.begin(), line.end(), '\n', ' ');  // only found between the parts of a value
  return {RawOther{kind_name(node.type()), std::move(line)}};
}

// "f.toml:2:3: cannot redefine existing integer 'a' (while parsing key-value pair)"
std::string syntax_fault(const toml::parse_error& e, const std::string& file) {
  std::string what(e.description());
  constexpr std::string_view kPrefix = "Error while ";
  const size_t colon = what.find(": ");
  if (what.starts_with(kPrefix) && colon != std::string::npos) {
    what = what.substr(colon + 2) + " (while " + what.substr(kPrefix.size(), colon - kPrefix.size()) + ")";
  }
  const toml::source_position at = e.source().begin;
  return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + what;
}

struct Item {
  std::string path;
  Provenance where;
  std::optional<RawValue> value;  // none: a table
};

Provenance place(const toml::key& key, const std::string& file) {
  const toml::source_position at = key.source().begin;
  return {file, static_cast<int>(at.line), static_cast<int>(at.column)};
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& file, std::vector<Item>& out) {
  for (const auto& [key, node] : table) {
    const std::string path = join_path(prefix, key.str());
    if (const toml::table* inner = node.as_table()) {
      out.push_back({path, place(key, file), std::nullopt});
      flatten(*inner, path, file, out);
    } else {
      out.push_back({path, place(key, file), to_raw(node)});
    }
  }
}

std::vector<Item> parse_items(const std::string& text, const std::string& file) {
  std::vector<Item> items;
  try {
    flatten(toml::parse(std::string_view(text), std::string_view(file)), "", file, items);
  } catch (const toml::parse_error& e) {
    fail(syntax_fault(e, file));
  }
  const auto position = [](const Item& item) { return std::tuple(item.where.line, item.where.column); };
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& a, const Item& b) { return position(a) < position(b); });
  return items;
}

// Puts files and --set over one another.
class Builder {
 public:
  explicit Builder(ConfigDocument::Impl& impl) : impl_(impl) {}

  void file(const std::string& text, const std::string& name) {
    std::vector<Item> items = parse_items(text, name);
    for (const Item& item : items) {
      if (item.path == "include") include(item, name);
    }
    for (Item& item : items) {
      if (item.path == "include") continue;
      if (item.value) {
        put(item.path, {std::move(*item.value), item.where, false, ""});
      } else {
        impl_.tables.insert_or_assign(item.path, item.where);
        note_plugin(item.path + ".");
      }
    }
  }

  void set(const std::string& text) {
    const std::string cited = "--set " + text;
    const size_t equals = text.find('=');
    const std::string path = trim(text.substr(0, equals));
    if (equals == std::string::npos || path.empty()) fail(cited + ": expected KEY=VALUE, as in --set train.steps=50");
    const std::string value = trim(text.substr(equals + 1));
    for (Item& item : set_items(path, value, cited)) {
      if (item.value) put(item.path, {std::move(*item.value), {cited, 0, 0}, true, value});
    }
  }

 private:
  static std::string trim(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
  }

  static bool parses(const std::string& text) {
    try {
      (void)toml::parse(std::string_view(text));
      return true;
    } catch (const toml::parse_error&) {
      return false;
    }
  }

  static std::vector<Item> set_items(const std::string& path, const std::string& value, const std::string& cited) {
    if (path == "include") fail(cited + ": include can only stand in a file");
    if (!parses(path + " = 0") || path.find('\n') != std::string::npos) {
      fail(cited + ": " + quote(path) + " is not a key; keys look like train.steps");
    }
    const bool one_line = value.find_first_of("\n\r") == std::string::npos;
    if (one_line && parses(path + " = " + value)) return parse_items(path + " = " + value, cited);
    if (!value.empty() && std::string_view("[{\"'").find(value[0]) != std::string_view::npos) {
      fail(cited + ": " + value + " is no TOML value; the shell may have taken its quotes: write --set '" + path +
           "=[\"a\", \"b\"]'");
    }
    return parse_items(path + " = " + quote(value), cited);
  }

  // The latest wins: also a value over a table of the same name, and a table over a value.
  void put(const std::string& path, Entry entry) {
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
      impl_.entries.erase(path.substr(0, dot));
    }
    const std::string below = path + ".";
    for (auto it = impl_.entries.lower_bound(below); it != impl_.entries.end() && it->first.starts_with(below);) {
      it = impl_.entries.erase(it);
    }
    impl_.entries.insert_or_assign(path, std::move(entry));
    note_plugin(path);
  }

  void note_plugin(const std::string& path) {
    const std::string plugin = plugin_of(path);
    const auto& known = impl_.plugins;
    if (!plugin.empty() && std::find(known.begin(), known.end(), plugin) == known.end()) {
      impl_.plugins.push_back(plugin);
    }
  }

  void include(const Item& item, const std::string& includer) {
    const std::string cited = item.where.text() + ": include: ";
    std::vector<std::string> names;
    const auto take = [&](const RawValue& value) {
      const auto* name = std::get_if<std::string>(&value.data);
      if (!name) fail(cited + "expected a list of file names, got " + describe(value));
      names.push_back(*name);
    };
    if (!item.value) fail(cited + "expected a list of file names, got a table");
    if (const auto* list = std::get_if<RawList>(&item.value->data)) {
      for (const RawValue& element : *list) take(element);
    } else {
      take(*item.value);
    }
    for (const std::string& name : names) include_file(name, includer, cited);
  }

  void include_file(const std::string& name, const std::string& includer, const std::string& cited) {
    namespace fs = std::filesystem;
    const std::string path = (fs::path(includer).parent_path() / name).lexically_normal().string();
    const auto identity = [](const std::string& p) { return fs::absolute(p).lexically_normal(); };
    open_files_.push_back(includer);
    for (const std::string& open : open_files_) {
      if (identity(open) != identity(path)) continue;
      std::string chain;
      for (const std::string& file : open_files_) chain += file + " -> ";
      fail(cited + "a cycle: " + chain + path);
    }
    std::string text;
    try {
      text = read_file(path);
    } catch (const Error& e) {
      throw Error(e.exit(), cited + e.what());
    }
    file(text, path);
    open_files_.pop_back();
  }

  ConfigDocument::Impl& impl_;
  std::vector<std::string> open_files_;  // from the first to the one that includes
};

const Entry* find(const ConfigDocument::Impl& impl, const std::string& path) {
  const auto it = impl.entries.find(path);
  return it == impl.entries.end() ? nullptr : &it->second;
}

}  // namespace

std::string Provenance::text() const {
  if (line == 0) return file;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

RawValue parse_value(const std::string& text) {
  const std::vector<Item> items = parse_items("value = " + text, "value");
  if (items.size() != 1 || !items[0].value) fail(quote(text) + " is not one TOML value");
  return *items[0].value;
}

ConfigDocument ConfigDocument::load(const std::string& path, const std::vector<std::string>& sets) {
  return parse(read_file(path), path, sets);
}

ConfigDocument ConfigDocument::parse(const std::string& text, const std::string& name,
                                     const std::vector<std::string>& sets) {
  auto impl = std::make_shared<Impl>();
  impl->name = name;
  Builder builder(*impl);
  builder.file(text, name);
  for (const std::string& set : sets) builder.set(set);
  ConfigDocument document;
  document.impl = std::move(impl);
  return document;
}

std::vector<std::string> ConfigDocument::plugins() const { return impl->plugins; }

std::vector<std::string> ConfigDocument::enabled_plugins() const {
  std::vector<std::string> names;
  for (const std::string& plugin : impl->plugins) {
    const Entry* entry = find(*impl, "plugins." + plugin + ".enabled");
    const bool* enabled = entry ? std::get_if<bool>(&entry->value.data) : nullptr;
    if (enabled && *enabled) names.push_back(plugin);
  }
  return names;
}

std::optional<std::string> ConfigDocument::string_at(const std::string& path) const {
  const Entry* entry = find(*impl, path);
  if (!entry) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&entry->value.data)) return *text;
  return std::nullopt;
}

std::vector<std::string> ConfigDocument::string_list_at(const std::string& path) const {
  std::string ignored;
  const Entry* entry = find(*impl, path);
  const auto value = entry ? convert({path, KeyType::kStringList, "", ""}, *entry, ignored) : std::nullopt;
  return value ? std::get<std::vector<std::string>>(*value) : std::vector<std::string>{};
}

Provenance ConfigDocument::where(const std::string& path) const {
  const Entry* entry = find(*impl, path);
  if (entry) return entry->where;
  const auto table = impl->tables.find(path);
  return table == impl->tables.end() ? Provenance{} : table->second;
}

}  // namespace sz
