// Autocast over a scope, by the dtype plan. The cast cache is off: it would hand a weight cast in one forward to
// a later recompute, and keep it alive in between.
#pragma once
#include <ATen/autocast_mode.h>

namespace sz {

class AutocastGuard {
 public:
  explicit AutocastGuard(bool enabled, at::ScalarType dtype = at::kBFloat16)
      : enabled_(at::autocast::is_autocast_enabled(at::kCPU)), cached_(at::autocast::is_autocast_cache_enabled()) {
    at::autocast::set_autocast_enabled(at::kCPU, enabled);
    at::autocast::set_autocast_dtype(at::kCPU, dtype);
    at::autocast::set_autocast_cache_enabled(false);
  }
  ~AutocastGuard() {
    at::autocast::set_autocast_enabled(at::kCPU, enabled_);
    at::autocast::set_autocast_cache_enabled(cached_);
  }
  AutocastGuard(const AutocastGuard&) = delete;

 private:
  bool enabled_, cached_;
};

}  // namespace sz
