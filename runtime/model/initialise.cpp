#include "model/initialise.h"

#include <algorithm>

#include "base/rng.h"

namespace sz {
namespace {

// Element i is number i % 4 of the Philox call i / 4, two Box-Muller pairs a call.
void fill_normal(uint64_t key, double std, int64_t begin, int64_t end, float* out) {
  for (int64_t call = begin / 4; call * 4 < end; ++call) {
    const Philox4 p = philox(key, uint64_t(call), 0);
    const auto first = to_normal(p[0], p[1]), second = to_normal(p[2], p[3]);
    const double values[4] = {first[0], first[1], second[0], second[1]};
    const int64_t low = std::max(begin, call * 4), high = std::min(end, call * 4 + 4);
    for (int64_t i = low; i < high; ++i) out[i - begin] = float(std * values[i - call * 4]);
  }
}

}  // namespace

void initialise(const ParameterDeclaration& parameter, uint64_t seed, int64_t begin, int64_t end, float* out) {
  switch (parameter.init) {
    case Init::kZeros: std::fill(out, out + (end - begin), 0.0f); break;
    case Init::kOnes: std::fill(out, out + (end - begin), 1.0f); break;
    case Init::kNormal: fill_normal(mix(seed, hash_name(parameter.name)), parameter.init_std, begin, end, out); break;
  }
}

}  // namespace sz
