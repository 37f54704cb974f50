// The CPU's time-stamp counter: a clock cheap enough to time every call of a hook.
// Thread: any.
#pragma once
#include <x86intrin.h>

#include <cstdint>

namespace sz {

inline uint64_t ticks() { return __rdtsc(); }

// A difference of ticks() in seconds, by the counter's rate since the process began.
double seconds_of_ticks(uint64_t count);

}  // namespace sz
