// How many elements of a floating array are exactly zero: gradients that underflowed, for the most part.
#pragma once
#include <cstdint>

namespace sz {

// data: n elements of fp16 or bf16; -0 counts as zero. Thread: any; runs on this thread alone.
int64_t count_zeros(const uint16_t* data, int64_t n);
int64_t count_zeros(const float* data, int64_t n);  // for 16-bit ones that have been widened

}  // namespace sz
