// A host that writes down what a plugin does with it.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sz/host/config.h"
#include "sz/host/decisions.h"
#include "sz/host/events.h"
#include "sz/host/metrics.h"
#include "sz/host/run.h"
#include "sz/plugin.h"

struct sz_error {
  sz_code code;
  std::string message;
};

namespace sz_test {

// Offers what a host offers; `live_errors` must come back to 0.
inline int live_errors = 0;

inline sz_offer make_offer() {
  sz_offer offer = {};
  offer.struct_size = sizeof(offer);
  offer.draft = SZ_DRAFT;
  offer.magic = SZ_OFFER_MAGIC;
  offer.abi_min = offer.abi_max = SZ_ABI_VERSION;
  offer.host_version = "0.0.0";
  offer.make_error = [](sz_code code, const char* message) {
    ++live_errors;
    return new sz_error{code, message};
  };
  offer.free_error = [](sz_error* error) {
    live_errors -= error != nullptr;
    delete error;
  };
  offer.error_code = [](const sz_error* error) { return error->code; };
  offer.error_message = [](const sz_error* error) { return error->message.c_str(); };
  return offer;
}
inline const sz_offer the_offer = make_offer();

// What an error said, freeing it; "" for success.
inline std::pair<sz_code, std::string> taken(sz_error* error) {
  if (error == nullptr) return {SZ_OK, ""};
  const std::pair<sz_code, std::string> said{error->code, error->message};
  the_offer.free_error(error);
  return said;
}
inline std::string said(sz_error* error) { return taken(error).second; }

struct FakeHost {
  using KeyValue = std::variant<int64_t, double, std::string>;

  std::map<std::string, KeyValue> config;
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<std::string> decisions, events, requests;  // as text
  std::map<std::string, std::pair<sz_on_event, void*>> subscribed;
  sz_host host = {sizeof(sz_host), SZ_ABI_VERSION, &the_offer, this, get_interface};

  static FakeHost& of(const sz_host* host) { return *static_cast<FakeHost*>(host->impl); }
  static const void* get_interface(const sz_host*, const char* id);
};

inline std::string text_of(const sz_value& value) {
  switch (value.type) {
    case SZ_VALUE_BOOL: return value.boolean ? "true" : "false";
    case SZ_VALUE_INT: return std::to_string(value.as.integer);
    case SZ_VALUE_FLOAT: return std::to_string(value.as.number);
    case SZ_VALUE_STRING: return value.as.string;
    default: return "-";
  }
}

inline std::string text_of(uint64_t count, const sz_field* fields) {
  std::string text;
  for (uint64_t i = 0; i < count; ++i) text += std::string(" ") + fields[i].name + "=" + text_of(fields[i].value);
  return text;
}

template <class T>
sz_error* config_value(const sz_host* host, const char* key, T* value) {
  const auto found = FakeHost::of(host).config.find(key);
  if (found == FakeHost::of(host).config.end() || !std::holds_alternative<T>(found->second)) {
    return the_offer.make_error(SZ_USAGE, key);
  }
  *value = std::get<T>(found->second);
  return nullptr;
}

// What the fake serves.
inline const sz_config kFakeConfig = {
    .struct_size = sizeof(sz_config),
    .reserved = 0,
    .has = [](const sz_host* h, const char* key) { return sz_bool(FakeHost::of(h).config.contains(key)); },
    .get_bool = [](const sz_host*, const char* key, sz_bool*) { return the_offer.make_error(SZ_USAGE, key); },
    .get_int = config_value<int64_t>,
    .get_float = config_value<double>,
    .get_string =
        [](const sz_host* h, const char* key, sz_string* value) -> sz_error* {
      const auto& text = std::get<std::string>(FakeHost::of(h).config.at(key));
      *value = {text.data(), text.size()};
      return nullptr;
    },
    .get_string_list = nullptr,
    .get_float_list = nullptr,
};

inline const sz_metrics kFakeMetrics = {
    sizeof(sz_metrics), 0,
    [](const sz_host* h, const char* name, double value) -> sz_error* {
      FakeHost::of(h).metrics.emplace_back(name, value);
      return nullptr;
    },
    [](const sz_host* h, const char* name, double* value) {
      for (const auto& [known, last] : FakeHost::of(h).metrics) {
        if (known == name) *value = last;
      }
      return sz_bool(!FakeHost::of(h).metrics.empty());
    }};

inline const sz_decisions kFakeDecisions = {
    sizeof(sz_decisions), 0, [](const sz_host* h, const sz_decision* d) -> sz_error* {
      FakeHost::of(h).decisions.push_back(std::string(d->what) + ": " + d->cause + " " + text_of(d->from) + " -> " +
                                          text_of(d->to) + text_of(d->field_count, d->fields));
      return nullptr;
    }};

inline const sz_events kFakeEvents = {
    sizeof(sz_events), 0,
    [](const sz_host* h, const char* name, uint64_t count, const sz_field* fields) -> sz_error* {
      FakeHost::of(h).events.push_back(name + text_of(count, fields));
      return nullptr;
    },
    [](const sz_host* h, const char* name, sz_on_event on_event, void* context) -> sz_error* {
      FakeHost::of(h).subscribed[name] = {on_event, context};
      return nullptr;
    }};

inline const sz_run kFakeRun = {
    .struct_size = sizeof(sz_run),
    .reserved = 0,
    .describe = nullptr,
    .request = [](const sz_host* h, sz_request request, const char* reason) -> sz_error* {
      FakeHost::of(h).requests.push_back(std::to_string(request) + " " + reason);
      return nullptr;
    },
    .add_scalar = nullptr,
    .set_scalar = nullptr,
    .set_eval_groups = nullptr,
};

inline const void* FakeHost::get_interface(const sz_host*, const char* id) {
  const std::string_view name = id;
  if (name == SZ_CONFIG) return &kFakeConfig;
  if (name == SZ_METRICS) return &kFakeMetrics;
  if (name == SZ_DECISIONS) return &kFakeDecisions;
  if (name == SZ_EVENTS) return &kFakeEvents;
  if (name == SZ_RUN) return &kFakeRun;
  return nullptr;
}

// A plugin's object, from create to destroy.
struct Life {
  Life(const sz_plugin* plugin, const FakeHost& fake) : plugin(plugin) {
    EXPECT_EQ(said(plugin->create(&fake.host, &self)), "");
  }
  ~Life() { plugin->destroy(self); }
  Life(const Life&) = delete;

  template <class Table>
  const Table& extension(const char* id) const {
    return *static_cast<const Table*>(plugin->get_extension(self, id));
  }

  const sz_plugin* plugin;
  void* self = nullptr;
};

}  // namespace sz_test
