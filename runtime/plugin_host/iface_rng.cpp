// sz.rng/1
#include <sz/host/rng.h>

#include "base/rng.h"
#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

uint64_t key(const sz_host* host, const char* purpose) {
  const PluginInstance& plugin = instance_of(host);
  const uint64_t seed = instance_of(host).run().context.seed;
  return mix(mix(seed, hash_name(plugin.id())), hash_name(purpose ? purpose : ""));
}

void draw(uint64_t key, uint64_t counter_low, uint64_t counter_high, uint32_t out[4]) {
  const Philox4 numbers = philox(key, counter_low, counter_high);
  for (int i = 0; i < 4; ++i) out[i] = numbers[size_t(i)];
}

}  // namespace

const void* rng_interface() {
  static const sz_rng table = {sizeof(sz_rng), 0, &key, &draw};
  return &table;
}

}  // namespace sz
