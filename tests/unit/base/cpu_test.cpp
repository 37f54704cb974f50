#include "base/cpu.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <sstream>

namespace sz {
namespace {

std::string flags_of_kernel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return line + " ";
  }
  return "";
}

TEST(Cpu, AgreesWithTheKernel) {
  const std::string flags = flags_of_kernel();
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const auto has = [&](const char* name) { return flags.find(std::string(" ") + name + " ") != std::string::npos; };
  const Cpu& c = cpu();
  EXPECT_EQ(c.avx2, has("avx2"));
  EXPECT_EQ(c.f16c, has("f16c"));
  EXPECT_EQ(c.fma, has("fma"));
  EXPECT_EQ(c.avx512f, has("avx512f"));
  EXPECT_EQ(c.avx512bw, has("avx512bw"));
  EXPECT_EQ(c.avx512vl, has("avx512vl"));
  EXPECT_EQ(c.avx512_bf16, has("avx512_bf16"));
  EXPECT_EQ(c.avx512_fp16, has("avx512_fp16"));
  EXPECT_EQ(c.amx, has("amx_tile") && has("amx_bf16"));
  EXPECT_FALSE(c.amd && c.intel);
  EXPECT_NE(c.model, "");
}

TEST(Cpu, CountsStayWithinTheAffinity) {
  cpu_set_t mask;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_GE(cpu().threads, 1);
  EXPECT_LE(cpu().threads, CPU_COUNT(&mask));
  EXPECT_GE(cpu().cores, 1);
  EXPECT_LE(cpu().cores, cpu().threads);
  EXPECT_EQ(&cpu(), &cpu());
}

TEST(Cpu, Quotas) {
  EXPECT_EQ(cpus_of_quota("200000 100000"), 2.0);
  EXPECT_EQ(cpus_of_quota("150000 100000"), 1.5);
  EXPECT_EQ(cpus_of_quota("max 100000"), 0.0);
  EXPECT_EQ(cpus_of_quota("-1 100000"), 0.0);
  EXPECT_EQ(cpus_of_quota(""), 0.0);
}

TEST(Cpu, Names) {
  Cpu c;
  EXPECT_EQ(instructions_of(c), "");
  c.avx2 = c.fma = c.amx = true;
  EXPECT_EQ(instructions_of(c), "avx2 fma amx");
}

}  // namespace
}  // namespace sz
