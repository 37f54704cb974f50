#include "ops/zero_count.h"

#include <algorithm>

namespace sz {
namespace {

// The compiler counts in vectors of T where the count of a block fits it, so that lanes need not be widened.
template <class T, class IsZero>
int64_t count_blocks(int64_t n, int64_t block, const IsZero& is_zero) {
  int64_t zeros = 0;
  for (int64_t first = 0; first < n; first += block) {
    const int64_t last = std::min(first + block, n);
    T found = 0;
#pragma omp simd reduction(+ : found)
    for (int64_t i = first; i < last; ++i) found = T(found + is_zero(i));
    zeros += found;
  }
  return zeros;
}

}  // namespace

int64_t count_zeros(const uint16_t* data, int64_t n) {
  return count_blocks<uint16_t>(n, 32768, [data](int64_t i) { return (data[i] & 0x7FFFu) == 0; });
}

int64_t count_zeros(const float* data, int64_t n) {
  return count_blocks<uint32_t>(n, int64_t(1) << 30, [data](int64_t i) { return data[i] == 0.0f; });
}

}  // namespace sz
