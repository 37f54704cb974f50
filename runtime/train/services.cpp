#include "train/services.h"

#include "base/text.h"

namespace sz {

void ServiceRegistry::add_erased(const std::string& id, const std::string& name, Entry entry) {
  const auto it = entries_.find({id, name});
  if (it != entries_.end()) {
    throw Error(Exit::kPlugin, "service " + id + " '" + name + "' is offered by both " + it->second.provider + " and " +
                                   entry.provider + "; switch one of them off");
  }
  entries_.emplace(std::make_pair(id, name), std::move(entry));
}

const ServiceRegistry::Entry* ServiceRegistry::find_erased(const std::string& id, const std::string& name) const {
  const auto it = entries_.find({id, name});
  return it == entries_.end() ? nullptr : &it->second;
}

std::vector<std::string> ServiceRegistry::names(const std::string& id) const {
  std::vector<std::string> result;
  for (const auto& [key, entry] : entries_) {
    if (key.first == id) result.push_back(key.second);
  }
  return result;
}

std::string ServiceRegistry::unknown(const std::string& id, const std::string& name, const std::string& key) const {
  const std::string offered = joined(names(id));
  return key + ": nobody offers '" + name + "' for " + id + "; offered: " + (offered.empty() ? "none" : offered);
}

}  // namespace sz
