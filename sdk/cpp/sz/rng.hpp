// sz.rng/1: counter-based random numbers.
#pragma once
#include <array>

#include <sz/host.hpp>
#include <sz/host/rng.h>

namespace sz::inline sdk {

class Rng : Interface<sz_rng> {
 public:
  // The key for one purpose, from the run's seed and the plugin's id.
  Rng(Host host, const char* purpose) : Interface(host, SZ_RNG), key_(table().key(raw(), purpose)) {}

  std::array<uint32_t, 4> draw(uint64_t low, uint64_t high = 0) const {
    std::array<uint32_t, 4> out = {};
    table().draw(key_, low, high, out.data());
    return out;
  }
  double uniform(uint64_t low, uint64_t high = 0) const {  // in (0, 1)
    return (draw(low, high)[0] + 0.5) / 4294967296.0;
  }

 private:
  uint64_t key_;
};

}  // namespace sz::inline sdk
