#include "base/ticks.h"

#include <chrono>

namespace sz {
namespace {

using Clock = std::chrono::steady_clock;

struct Reading {
  Clock::time_point time = Clock::now();
  uint64_t count = ticks();
};

const Reading process_start;

}  // namespace

double seconds_of_ticks(uint64_t count) {
  const Reading now;
  const uint64_t passed = now.count - process_start.count;
  if (passed == 0) return 0;
  return double(count) * std::chrono::duration<double>(now.time - process_start.time).count() / double(passed);
}

}  // namespace sz
