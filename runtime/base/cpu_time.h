// Processor time, of which other programs on the machine take nothing away. Thread: any.
#pragma once
#include <ctime>

namespace sz {

inline double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

inline double thread_cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }    // of the calling thread
inline double process_cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }  // of all threads

}  // namespace sz
