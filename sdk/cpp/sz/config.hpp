// sz.config/1: own keys have no dot ("window"), the run's have ("train.steps").
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sz/host.hpp>
#include <sz/host/config.h>

namespace sz::inline sdk {

class Config : Interface<sz_config> {
 public:
  explicit Config(Host host) : Interface(host, SZ_CONFIG) {}

  bool has(const char* key) const { return table().has(raw(), key) != 0; }
  bool get_bool(const char* key) const { return get<sz_bool>(table().get_bool, key) != 0; }
  int64_t get_int(const char* key) const { return get<int64_t>(table().get_int, key); }
  double get_float(const char* key) const { return get<double>(table().get_float, key); }
  std::string get_string(const char* key) const {
    const auto value = get<sz_string>(table().get_string, key);
    return {value.ptr, value.len};
  }
  std::vector<std::string> get_strings(const char* key) const {
    const sz_string* values = nullptr;
    uint64_t count = 0;
    check(table().get_string_list(raw(), key, &values, &count));
    std::vector<std::string> out;
    for (uint64_t i = 0; i < count; ++i) out.emplace_back(values[i].ptr, values[i].len);
    return out;
  }
  std::span<const double> get_floats(const char* key) const {  // lives as long as the plugin
    const double* values = nullptr;
    uint64_t count = 0;
    check(table().get_float_list(raw(), key, &values, &count));
    return {values, count};
  }

 private:
  template <class T>
  T get(sz_error* (*getter)(const sz_host*, const char*, T*), const char* key) const {
    T value = {};
    check(getter(raw(), key, &value));
    return value;
  }
};

}  // namespace sz::inline sdk
