// Which of a kernel's builds runs: chosen once from the CPU, or set by tests.
#pragma once

namespace sz {

enum class Isa { kScalar = 0, kAvx2 = 1, kAvx512 = 2 };

Isa best_isa();           // of this CPU: AVX-512 F, BW, DQ, VL; AVX2, FMA, F16C; or neither
Isa current_isa();
void set_isa(Isa isa);    // at most best_isa(); for tests. Thread: main, while no kernel runs.

inline const char* name_of(Isa isa) {
  return isa == Isa::kAvx512 ? "avx512" : isa == Isa::kAvx2 ? "avx2" : "scalar";
}

}  // namespace sz
