#include "ops/cpu.h"

#include <algorithm>
#include <atomic>

namespace sz {

Isa best_isa() {
  static const Isa best = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return avx2 && avx512 ? Isa::kAvx512 : avx2 ? Isa::kAvx2 : Isa::kScalar;
  }();
  return best;
}

namespace {
std::atomic<Isa>& chosen() {
  static std::atomic<Isa> isa{best_isa()};
  return isa;
}
}  // namespace

Isa current_isa() { return chosen().load(std::memory_order_relaxed); }

void set_isa(Isa isa) { chosen().store(std::min(isa, best_isa())); }

}  // namespace sz
