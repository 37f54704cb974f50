// The CPU at hand: its name, how much of it this process may use, and its vector instructions.
// Thread: any; found once and kept.
#pragma once
#include <string>

namespace sz {

struct Cpu {
  std::string model;       // "AMD EPYC 9654 96-Core Processor"
  bool amd = false, intel = false;
  int threads = 1;         // hardware threads of the affinity mask, within the cgroup's CPU quota (rounded down:
                           // a team with one thread throttled waits for it at every barrier)
  int cores = 1;           // of those, physical cores: what matrix products should use
  // Each true only where the operating system saves the registers too.
  bool avx2 = false, f16c = false, fma = false;
  bool avx512f = false, avx512bw = false, avx512vl = false;
  bool avx512_bf16 = false, avx512_fp16 = false;
  bool amx = false;        // tiles with bf16; a process must still ask the kernel for leave (arch_prctl)
};

const Cpu& cpu();

// "avx2 f16c fma": the names of the flags that are set, for logs.
std::string instructions_of(const Cpu& cpu);

// CPUs granted by the text of cgroup v2's cpu.max ("200000 100000" -> 2, "max 100000" -> 0: no limit).
double cpus_of_quota(const std::string& cpu_max);

}  // namespace sz
