#include "base/cpu.h"

#include <cpuid.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>

#include "base/cgroup.h"

namespace sz {
namespace {

std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);  // all zero where the leaf does not exist
  return r;
}

bool bit(unsigned word, int index) { return (word >> index & 1) != 0; }

// XCR0: the register sets that the operating system saves; 0 where it saves none beyond the oldest.
uint64_t saved_registers() {
  if (!bit(cpuid(1).c, 27)) return 0;
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

void find_instructions(Cpu& cpu) {
  const uint64_t saved = saved_registers();
  const bool ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xE6) == 0xE6, tiles = (saved & 0x60000) == 0x60000;
  const Registers basic = cpuid(1), extended = cpuid(7, 0), more = cpuid(7, 1);
  cpu.fma = ymm && bit(basic.c, 12);
  cpu.f16c = ymm && bit(basic.c, 29);
  cpu.avx2 = ymm && bit(extended.b, 5);
  cpu.avx512f = zmm && bit(extended.b, 16);
  cpu.avx512bw = zmm && bit(extended.b, 30);
  cpu.avx512vl = zmm && bit(extended.b, 31);
  cpu.avx512_bf16 = zmm && bit(more.a, 5);
  cpu.avx512_fp16 = zmm && bit(extended.d, 23);
  cpu.amx = tiles && bit(extended.d, 24) && bit(extended.d, 22);
}

void find_vendor(Cpu& cpu) {
  const Registers r = cpuid(0);
  cpu.amd = r.b == signature_AMD_ebx && r.c == signature_AMD_ecx;
  cpu.intel = r.b == signature_INTEL_ebx && r.c == signature_INTEL_ecx;
}

// The tightest quota of this process's cgroup and its parents; 0 where there is none.
double quota_of_cgroups() {
  double tightest = 0;
  for (const CgroupFolder& folder : cgroup_folders("cpu")) {
    const std::string text = folder.v1 ? first_line_of(folder.path + "/cpu.cfs_quota_us") + " " +
                                             first_line_of(folder.path + "/cpu.cfs_period_us")
                                       : first_line_of(folder.path + "/cpu.max");
    const double cpus = cpus_of_quota(text);
    if (cpus > 0 && (tightest == 0 || cpus < tightest)) tightest = cpus;
  }
  return tightest;
}

void find_counts(Cpu& cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) {  // more CPUs than the mask has room for
    cpu.threads = cpu.cores = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
    return;
  }
  std::set<std::string> siblings;
  cpu.threads = std::max(1, CPU_COUNT(&mask));
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &mask)) continue;
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(i) + "/topology/";
    const std::string group = first_line_of(topology + "thread_siblings_list");
    siblings.insert(group.empty() ? std::to_string(i) : group);
  }
  if (const double quota = quota_of_cgroups(); quota > 0) {
    cpu.threads = std::clamp(static_cast<int>(quota), 1, cpu.threads);
  }
  cpu.cores = std::clamp(static_cast<int>(siblings.size()), 1, cpu.threads);
}

Cpu find() {
  Cpu cpu;
  cpu.model = model_name();
  find_vendor(cpu);
  find_instructions(cpu);
  find_counts(cpu);
  return cpu;
}

}  // namespace

const Cpu& cpu() {
  static const Cpu found = find();
  return found;
}

std::string instructions_of(const Cpu& cpu) {
  const std::pair<bool, const char*> flags[] = {
      {cpu.avx2, "avx2"},         {cpu.f16c, "f16c"},         {cpu.fma, "fma"},
      {cpu.avx512f, "avx512f"},   {cpu.avx512bw, "avx512bw"}, {cpu.avx512vl, "avx512vl"},
      {cpu.avx512_bf16, "avx512_bf16"}, {cpu.avx512_fp16, "avx512_fp16"}, {cpu.amx, "amx"}};
  std::string names;
  for (const auto& [set, name] : flags) {
    if (set) names += (names.empty() ? "" : " ") + std::string(name);
  }
  return names;
}

double cpus_of_quota(const std::string& cpu_max) {
  std::istringstream words(cpu_max);
  double quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return 0;
  return quota / period;
}

}  // namespace sz
