// What every benchmark says of itself: medians of its laps, memory, and how much others used the machine meanwhile.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace sz::bench {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// `values` is taken by value: it is sorted.
inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[size_t(q * double(values.size() - 1) + 0.5)];
}

// A field of /proc/self/status, in MiB.
inline double status_mb(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kib = 0;
    if (word == field + ":" && file >> kib) return kib / 1024;
  }
  return 0;
}

// CPU seconds: of the whole machine, and of this process.
struct CpuTimes {
  double machine = 0, own = 0, wall = 0;
};

inline CpuTimes cpu_times() {
  CpuTimes times;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  double value = 0;
  for (int i = 0; i < 8 && file >> value; ++i) {
    if (i != 3 && i != 4) times.machine += value / double(sysconf(_SC_CLK_TCK));  // neither idle nor waiting
  }
  times.own = double(std::clock()) / CLOCKS_PER_SEC;
  times.wall = seconds();
  return times;
}

// Share of the machine that others used between two readings, in per cent.
inline double other_cpu_percent(const CpuTimes& from, const CpuTimes& to) {
  const double others = (to.machine - from.machine) - (to.own - from.own);
  return std::max(0.0, 100 * others / ((to.wall - from.wall) * double(sysconf(_SC_NPROCESSORS_ONLN))));
}

// Seconds since run.py started this program, or since this process began to measure.
inline double since_start() {
  static const double begun = wall_clock();
  const char* const given = std::getenv("BENCH_T0");
  return wall_clock() - (given ? std::atof(given) : begun);
}

}  // namespace sz::bench
