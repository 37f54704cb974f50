#include "ops/zero_count.h"

#include <algorithm>

namespace sz {

int64_t count_zeros(const uint16_t* data, int64_t n) {
  constexpr int64_t kBlock = 32768;  // whose count fits 16 bits, so that lanes need not be widened
  int64_t zeros = 0;
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t count = std::min(kBlock, n - first);
    const uint16_t* const block = data + first;
    uint16_t found = 0;
#pragma omp simd reduction(+ : found)
    for (int64_t i = 0; i < count; ++i) found = uint16_t(found + ((block[i] & 0x7FFFu) == 0));
    zeros += found;
  }
  return zeros;
}

}  // namespace sz
