// What a step spends on communication: seconds that the main thread waited, and seconds that went by behind compute.
#pragma once
#include <algorithm>

#include <sz/comm.hpp>

namespace zero3 {

struct Waits {
  double waited = 0, hidden = 0;

  // Waits for the work and books its time: what it took beyond the wait was hidden.
  void wait(sz::Work& work);
};

double now();  // seconds of a monotonic clock

}  // namespace zero3
