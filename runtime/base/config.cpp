// A resolved configuration: reading it, writing it out, comparing it.
#include "base/config.h"

#include "base/config_value.h"
#include "base/error.h"
#include "base/hash.h"

namespace sz {
namespace {

[[noreturn]] void misuse(const std::string& path, const char* what) {
  assertion_failed(__FILE__, __LINE__, ("config key " + path + ": " + what).c_str());
}

template <class T>
const T& get(const Config::Impl& impl, const std::string& path) {
  const auto it = impl.values.find(path);
  if (it == impl.values.end()) misuse(path, "a value (not in the schema, or neither given nor with a default)");
  const T* value = std::get_if<T>(&it->second);
  if (!value) misuse(path, "the type asked for");
  return *value;
}

}  // namespace

Schema& Schema::add(KeySpec spec) {
  if (index_.contains(spec.path)) misuse(spec.path, "a path that is not in the schema yet");
  index_.emplace(spec.path, keys_.size());
  keys_.push_back(std::move(spec));
  return *this;
}

const KeySpec* Schema::find(const std::string& path) const {
  const auto it = index_.find(path);
  return it == index_.end() ? nullptr : &keys_[it->second];
}

bool Config::has(const std::string& path) const { return impl->values.contains(path); }
bool Config::get_bool(const std::string& path) const { return get<bool>(*impl, path); }
int64_t Config::get_int(const std::string& path) const { return get<int64_t>(*impl, path); }
double Config::get_float(const std::string& path) const { return get<double>(*impl, path); }
const std::string& Config::get_string(const std::string& path) const { return get<std::string>(*impl, path); }

const std::vector<std::string>& Config::get_string_list(const std::string& path) const {
  return get<std::vector<std::string>>(*impl, path);
}

const std::vector<double>& Config::get_float_list(const std::string& path) const {
  return get<std::vector<double>>(*impl, path);
}

Provenance Config::where(const std::string& path) const {
  const auto it = impl->where.find(path);
  return it == impl->where.end() ? Provenance{} : it->second;
}

std::string Config::cite(const std::string& path) const {
  const std::string place = where(path).text();
  return place.empty() ? path : place + ": " + path;
}

std::string Config::to_toml() const {
  std::map<std::string, std::map<std::string, std::string>> tables;
  for (const auto& [path, value] : impl->values) tables[parent_of(path)][name_of(path)] = sz::to_toml(value);
  for (const auto& [path, value] : impl->unchecked) tables[parent_of(path)][name_of(path)] = value;
  std::string out;
  for (const auto& [table, keys] : tables) {
    if (!out.empty()) out += "\n";
    if (!table.empty()) out += "[" + table + "]\n";
    for (const auto& [key, value] : keys) out += key + " = " + value + "\n";
  }
  return out;
}

uint64_t Config::hash() const {
  std::string text;
  for (const auto& [path, value] : fingerprint()) text += path + " = " + value + "\n";
  return xxh3_64(text);
}

std::vector<std::pair<std::string, std::string>> Config::fingerprint() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [path, value] : impl->values) {
    if (!impl->schema.find(path)->per_host) out.emplace_back(path, sz::to_toml(value));
  }
  return out;
}

bool Config::is_faulty(const std::string& path) const {
  if (impl->faulty.contains(path)) return true;
  const auto below = impl->faulty.lower_bound(path + ".");
  return below != impl->faulty.end() && below->starts_with(path + ".");
}

bool Config::has_unknown() const { return impl->has_unknown; }

const Schema& Config::schema() const { return impl->schema; }

}  // namespace sz
