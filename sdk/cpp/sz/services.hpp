// sz.services/1: services of the runtime and of other plugins.
#pragma once
#include <string>
#include <vector>

#include <sz/host.hpp>
#include <sz/host/services.h>

namespace sz::inline sdk {

// A provider with its table: provider->score(provider.object, ...).
template <class Table>
struct Provider {
  std::string name, plugin;
  const Table* table = nullptr;
  void* object = nullptr;
  const Table* operator->() const { return table; }
};

class Services : Interface<sz_services> {
 public:
  explicit Services(Host host) : Interface(host, SZ_SERVICES) {}

  // services.find<sz_scorer>(SZ_SCORER, "tfidf"): throws an error that lists those that there are.
  template <class Table>
  Provider<Table> find(const char* service, const char* name) const {
    sz_provider provider = {};
    check(table().find(raw(), service, name, &provider));
    return typed<Table>(provider);
  }
  template <class Table>
  std::vector<Provider<Table>> all(const char* service) const {
    std::vector<Provider<Table>> out;
    for (uint64_t i = 0, n = table().count(raw(), service); i < n; ++i) {
      sz_provider provider = {};
      check(table().at(raw(), service, i, &provider));
      out.push_back(typed<Table>(provider));
    }
    return out;
  }

 private:
  template <class Table>
  static Provider<Table> typed(const sz_provider& p) {
    return {p.name, p.plugin, static_cast<const Table*>(p.table), p.object};
  }
};

}  // namespace sz::inline sdk
