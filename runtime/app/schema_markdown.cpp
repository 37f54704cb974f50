#include "app/schema_markdown.h"

#include <cmath>
#include <cstdio>

#include "app/schema.h"
#include "plugin_host/library.h"

namespace sz {
namespace {

constexpr const char* kIntroduction =
    "# Configuration\n"
    "\n"
    "Every key of a configuration file, by table. This page is made from the program's own schemas, by\n"
    "`szworker schema`; a test keeps it true. How files are written, included and overridden from the command line is\n"
    "told in [getting started](getting_started.md).\n"
    "\n"
    "A default of - means that the key is absent unless it is given. Keys marked *per host* may differ between the\n"
    "machines of a run; all others must be the same on every rank.\n";

std::string number(double value) {
  char text[40];
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e9;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%g", value);
  return text;
}

std::string type_of(const KeySpec& key) {
  static constexpr const char* kNames[] = {"true or false", "whole number", "number", "text", "list of texts",
                                           "list of numbers"};
  std::string text;
  for (const std::string& choice : key.choices) text += (text.empty() ? "`\"" : ", `\"") + choice + "\"`";
  if (text.empty()) text = kNames[int(key.type)];
  const bool below = std::isfinite(key.min), above = std::isfinite(key.max);
  if (!key.choices.empty() && below) text += ", or a number";
  if (below && above) return text + ", " + number(key.min) + " to " + number(key.max);
  if (below) return text + ", at least " + number(key.min);
  return above ? text + ", at most " + number(key.max) : text;
}

// A cell of a table: '|' would end it.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return out;
}

std::string row(const std::string& name, const KeySpec& key) {
  const std::string standard = key.required ? "required" : key.default_toml.empty() ? "-" : "`" + key.default_toml + "`";
  return "| `" + name + "` | " + cell(type_of(key)) + " | " + cell(standard) + " | " + cell(key.help) +
         (key.per_host ? " (*per host*)" : "") + " |\n";
}

std::string heading(const std::string& table) {
  return "\n## [" + table + "]\n\n| key | value | default | what it does |\n|---|---|---|---|\n";
}

std::string runtime_tables() {
  std::string text, current;
  const Schema schema = runtime_schema();
  for (const KeySpec& key : schema.keys()) {
    const size_t dot = key.path.rfind('.');
    const std::string table = key.path.substr(0, dot);
    if (table != current) text += heading(table);
    current = table;
    text += row(key.path.substr(dot + 1), key);
  }
  return text;
}

std::string plugin_table(const std::string& name, const SearchPath& search) {
  const Descriptor descriptor = PluginLibrary::open(find_plugin(name, search), "").descriptor;
  std::string text = "\n## [plugins." + descriptor.id + "]\n\n" + descriptor.summary + ".\n";
  if (descriptor.keys.empty()) return text + "\nNo keys of its own.\n";
  text += "\n| key | value | default | what it does |\n|---|---|---|---|\n";
  for (const KeySpec& key : descriptor.keys) text += row(key.path, key);
  return text;
}

}  // namespace

std::string schema_markdown(const std::vector<std::string>& plugins, const SearchPath& search) {
  std::string text = kIntroduction + runtime_tables();
  text += "\nEvery plugin has a table `[plugins.NAME]`, which may hold `enabled` (true or false), `path` (of its file, "
          "*per host*;\nabsent: it is searched for) and `sha256` (of that file, which is then checked), and the "
          "plugin's own keys.\n";
  for (const std::string& name : plugins) text += plugin_table(name, search);
  return text;
}

}  // namespace sz
