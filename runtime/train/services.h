// Services by id and name: many may offer one, the configuration names the one it wants. The runtime's own
// parts are built-in providers of the same services.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sz {

class ServiceRegistry {
 public:
  // id: "sz.optimizer/1"; name: "AdamW". T is the service's C++ interface (or a factory of it).
  // Errors: Error(kPlugin) naming both providers when (id, name) is taken.
  template <class T>
  void add(const std::string& id, const std::string& name, const std::string& provider, std::shared_ptr<T> service) {
    add_erased(id, name, {provider, std::type_index(typeid(T)), std::move(service)});
  }
  // Null when nobody offers it.
  template <class T>
  std::shared_ptr<T> find(const std::string& id, const std::string& name) const {
    const Entry* entry = find_erased(id, name);
    if (!entry) return nullptr;
    SZ_ASSERT(entry->type == std::type_index(typeid(T)));
    return std::static_pointer_cast<T>(entry->service);
  }
  // Errors: Error(kUsage) saying which names are offered; `key` is the configuration key that asked.
  template <class T>
  std::shared_ptr<T> get(const std::string& id, const std::string& name, const std::string& key) const {
    if (auto found = find<T>(id, name)) return found;
    throw Error(Exit::kUsage, unknown(id, name, key));
  }
  std::vector<std::string> names(const std::string& id) const;

 private:
  struct Entry {
    std::string provider;
    std::type_index type;
    std::shared_ptr<void> service;
  };
  void add_erased(const std::string& id, const std::string& name, Entry entry);
  const Entry* find_erased(const std::string& id, const std::string& name) const;
  std::string unknown(const std::string& id, const std::string& name, const std::string& key) const;

  std::map<std::pair<std::string, std::string>, Entry> entries_;
};

}  // namespace sz
