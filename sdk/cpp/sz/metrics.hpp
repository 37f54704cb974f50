// sz.metrics/1: numbers of a step.
#pragma once
#include <optional>

#include <sz/host.hpp>
#include <sz/host/metrics.h>

namespace sz::inline sdk {

class Metrics : Interface<sz_metrics> {
 public:
  explicit Metrics(Host host) : Interface(host, SZ_METRICS) {}

  void publish(const char* name, double value) { check(table().publish(raw(), name, value)); }
  std::optional<double> read(const char* name) const {
    double value = 0;
    if (!table().read(raw(), name, &value)) return std::nullopt;
    return value;
  }
};

}  // namespace sz::inline sdk
