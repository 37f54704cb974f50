// Configuration: TOML files with provenance, a schema that every key must fit, and one report of
// everything that is wrong.
//
//   ConfigDocument doc = ConfigDocument::load(path, {"train.steps=50"});   // parse, include, --set
//   Config config = Config::resolve(doc, schema);                        // validate, fill defaults
//
// Thread: any (immutable once made).
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sz {

enum class KeyType : uint8_t { kBool, kInt, kFloat, kString, kStringList, kFloatList };

// One key that may stand in a file. `default_toml` is TOML text ("8", "\"fp32\"", "[0.9, 0.95]");
// empty means the key is absent unless given (see Config::has).
struct KeySpec {
  std::string path;  // dotted: "train.micro_batch", "plugins.amp_o2.dtype"
  KeyType type = KeyType::kInt;
  std::string default_toml{};
  std::string help{};  // one line, English
  double min = -std::numeric_limits<double>::infinity();  // inclusive; numbers and every element of lists
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices{};  // strings: allowed values; with min and max a number is allowed as well, and
                                       // get_string() gives it as its text
  bool required = false;
  bool per_host = false;  // paths and the like: left out of the hash that ranks compare
  bool filled = false;    // a string, and every element of a list, must not be empty; nor a list that is required
};

// The keys that the table of every plugin may hold: enabled, path, sha256.
std::vector<KeySpec> keys_of_every_plugin(const std::string& plugin);

// What is wrong with the default of `spec` (its type, range or choices), or "". For keys that plugins bring.
std::string fault_of_default(const KeySpec& spec);

class Schema {
 public:
  Schema& add(KeySpec spec);  // asserts that the path is new
  const KeySpec* find(const std::string& path) const;
  const std::vector<KeySpec>& keys() const { return keys_; }  // in order of addition

 private:
  std::vector<KeySpec> keys_;
  std::map<std::string, size_t> index_;
};

// Where a value came from. A value given on the command line: file "--set a.b=c", line 0. A default: all empty.
struct Provenance {
  std::string file;
  int line = 0, column = 0;  // of the key, from 1; columns count code points
  std::string text() const;  // "file:line:column", "--set a.b=c", or ""
};

// A parsed but not yet validated configuration.
class ConfigDocument {
 public:
  // Reads `path` and its `include = [...]` files (relative to the including file; the includer wins),
  // then applies `sets` ("a.b=c", c is TOML or else a bare string). Of several included files the later wins.
  // Errors: Error(kUsage) with file:line:column for a missing file, a syntax error, an include cycle.
  static ConfigDocument load(const std::string& path, const std::vector<std::string>& sets);
  // The same for a text; `name` stands for its file in messages and is where includes are relative to.
  static ConfigDocument parse(const std::string& text, const std::string& name,
                              const std::vector<std::string>& sets = {});

  // Names of [plugins.NAME] tables, in file order: all, and those whose `enabled` is true.
  std::vector<std::string> plugins() const;
  std::vector<std::string> enabled_plugins() const;
  std::optional<std::string> string_at(const std::string& path) const;
  std::vector<std::string> string_list_at(const std::string& path) const;
  Provenance where(const std::string& path) const;

  struct Impl;
  std::shared_ptr<const Impl> impl;
};

class Config {
 public:
  // Checks every key of `doc` against `schema` (unknown keys with did-you-mean, types, ranges, NaN, choices,
  // required) and fills defaults. All faults come in one Error(kUsage), a line each:
  // `file:line:column: key: what is wrong, what was expected, did you mean X`.
  // Every table [plugins.X] may hold enabled (bool), path (string, per host) and sha256 (string): these join the
  // schema by themselves. Where the schema has no other key of X (its file is missing, or it is not enabled and
  // was not read), X's own keys pass unchecked; to_toml keeps them. Required keys of X are asked for only where X
  // is enabled. --set may give a string without quotes, also as the only element of a list of strings.
  // `extra` faults found by others (same line format) are merged into the report.
  // The report is sorted by file and line; faults without a line come last.
  static Config resolve(const ConfigDocument& doc, const Schema& schema, const std::vector<std::string>& extra = {});
  // For a report that others add to (sorted_report): what is wrong goes into `faults`. A faulty key has its default, or
  // no value where it has none.
  static Config resolve_partly(const ConfigDocument& doc, const Schema& schema, std::vector<std::string>& faults);
  bool is_faulty(const std::string& path) const;  // the key, or any in the table
  bool has_unknown() const;  // keys or tables: what seems to be missing may be misspelt

  bool has(const std::string& path) const;
  // Each asserts that the key exists in the schema with that type and has a value.
  bool get_bool(const std::string& path) const;
  int64_t get_int(const std::string& path) const;
  double get_float(const std::string& path) const;
  const std::string& get_string(const std::string& path) const;
  const std::vector<std::string>& get_string_list(const std::string& path) const;
  const std::vector<double>& get_float_list(const std::string& path) const;
  Provenance where(const std::string& path) const;
  // `file:line:column: path`, `--set a.b=c: a.b`, or `path` for a default, to start messages with.
  std::string cite(const std::string& path) const;

  std::string to_toml() const;  // the resolved file, sorted tables, every key: parses back to the same Config
  uint64_t hash() const;        // of all keys that are not per_host, however their values were spelt
  // (path, canonical value as TOML) of all keys that are not per_host, sorted: names what differs between ranks.
  std::vector<std::pair<std::string, std::string>> fingerprint() const;
  const Schema& schema() const;

  struct Impl;
  std::shared_ptr<const Impl> impl;
};

// Faults as one text, in the order of the report above.
std::string sorted_report(std::vector<std::string> faults);

}  // namespace sz
