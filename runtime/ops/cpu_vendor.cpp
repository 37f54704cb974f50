#include "ops/cpu_vendor.h"

#include <cpuid.h>

#include <cstring>

namespace sz {

namespace {

bool vendor_is(const char* name) {
  unsigned highest = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(0, &highest, &b, &c, &d)) return false;
  char vendor[12];
  std::memcpy(vendor, &b, 4);
  std::memcpy(vendor + 4, &d, 4);
  std::memcpy(vendor + 8, &c, 4);
  return std::memcmp(vendor, name, 12) == 0;
}

}  // namespace

bool cpu_is_intel() { return vendor_is("GenuineIntel"); }
bool cpu_is_amd() { return vendor_is("AuthenticAMD") || vendor_is("HygonGenuine"); }

bool cpu_has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  return (d >> 22 & 1u) && (d >> 24 & 1u);
}

}  // namespace sz
