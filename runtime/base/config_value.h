// What stands behind ConfigDocument and Config. Private to base/; toml++ stays in config_document.cpp.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/config.h"

namespace sz {

struct RawValue;
using RawList = std::vector<RawValue>;

// What no key takes: dates, times, tables inside lists.
struct RawOther {
  std::string kind;  // "date"
  std::string toml;
};

// A value as it stood in the file, before any schema.
struct RawValue {
  std::variant<bool, int64_t, double, std::string, RawList, RawOther> data;
};

std::string to_toml(const RawValue& value);
std::string describe(const RawValue& value);  // `the string "ten"`, `the integer 5`
std::string quote(const std::string& text);   // as a TOML basic string
std::string float_to_toml(double value);      // shortest text that reads back the same; with a dot or an exponent

// One TOML value; throws Error(kUsage) where `text` is none.
RawValue parse_value(const std::string& text);

struct Entry {
  RawValue value;
  Provenance where;
  bool from_set = false;
  std::string set_text;  // the right side of --set as typed
};

struct ConfigDocument::Impl {
  std::string name;
  std::map<std::string, Entry> entries;      // by dotted path; values are never tables
  std::map<std::string, Provenance> tables;  // those that stand in files
  std::vector<std::string> plugins;          // X of every [plugins.X], in order of appearance
};

using ConfigValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>, std::vector<double>>;

std::string to_toml(const ConfigValue& value);

struct Config::Impl {
  Schema schema;
  std::map<std::string, ConfigValue> values;
  std::map<std::string, Provenance> where;
  std::map<std::string, std::string> unchecked;  // TOML texts of plugins that are not there
  std::set<std::string> faulty;                  // paths, of keys and of tables
  bool has_unknown = false;
};

// The value as `spec` wants it, or what is wrong with it in `fault` ("expected an integer, got the string ...").
std::optional<ConfigValue> convert(const KeySpec& spec, const Entry& entry, std::string& fault);

// "train" and "steps" of "train.steps"; the last key may be quoted and hold dots itself.
std::string parent_of(const std::string& path);  // "" at the top
std::string name_of(const std::string& path);

// "amp_o2" of "plugins.amp_o2.dtype"; "" where `path` is no key below a plugin's table.
std::string plugin_of(const std::string& path);

}  // namespace sz
