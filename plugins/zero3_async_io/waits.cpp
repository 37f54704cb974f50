#include "waits.h"

#include <chrono>

namespace zero3 {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void Waits::wait(sz::Work& work) {
  const double begin = now();
  const sz_work_times times = work.wait_timed();
  const double blocked = now() - begin;
  waited += blocked;
  if (times.finished > times.started) hidden += std::max(0.0, times.finished - times.started - blocked);
}

}  // namespace zero3
