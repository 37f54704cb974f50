// sz.services/1
#include <sz/host/services.h>

#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

struct Provider {
  PluginInstance* plugin;
  const ServiceOffer* offer;
};

std::vector<Provider> providers(HostRun& run, const std::string& service) {
  std::vector<Provider> found;
  for (PluginInstance* plugin : run.instances) {
    for (const ServiceOffer& offer : plugin->plan().gives) {
      if (offer.service == service) found.push_back({plugin, &offer});
    }
  }
  return found;
}

sz_provider lend(const Provider& provider) {
  const PluginInstance::Provided provided = provider.plugin->provide(provider.offer->service, provider.offer->name);
  return {provider.offer->name.c_str(), provider.plugin->id().c_str(), provided.table, provided.object};
}

void check_caller(const sz_host* host, const char* function) {
  instance_of(host).require_main(function);
  instance_of(host).require_phase(function, kRun);
}

uint64_t count(const sz_host* host, const char* service) {
  uint64_t result = 0;
  host_offer().free_error(guarded([&] {
    check_caller(host, "sz.services count");
    result = providers(instance_of(host).run(), required_text(service, "service")).size();
  }));
  return result;
}

sz_error* at(const sz_host* host, const char* service, uint64_t index, sz_provider* out) {
  return guarded([&] {
    check_caller(host, "sz.services at");
    require_pointer(out, "provider");
    const std::vector<Provider> found = providers(instance_of(host).run(), required_text(service, "service"));
    if (index >= found.size()) {
      throw Error(Exit::kPlugin, std::string(service) + " has " + std::to_string(found.size()) + " providers, number " +
                                     std::to_string(index) + " was asked for");
    }
    *out = lend(found[index]);
  });
}

sz_error* find(const sz_host* host, const char* service, const char* name, sz_provider* out) {
  return guarded([&] {
    check_caller(host, "sz.services find");
    require_pointer(out, "provider");
    const std::string wanted = required_text(name, "name");
    std::string offered;
    for (const Provider& provider : providers(instance_of(host).run(), required_text(service, "service"))) {
      if (provider.offer->name == wanted) {
        *out = lend(provider);
        return;
      }
      offered += (offered.empty() ? "" : ", ") + provider.offer->name;
    }
    throw Error(Exit::kPlugin, std::string("no enabled plugin gives ") + service + " '" + wanted + "'; given: " +
                                   (offered.empty() ? "none" : offered));
  });
}

}  // namespace

const void* services_interface() {
  static const sz_services table = {sizeof(sz_services), 0, &count, &at, &find};
  return &table;
}

}  // namespace sz
