// Initial values as a pure function of (seed, parameter name, element), so that any rank can make any
// stretch of any parameter alone.
#pragma once
#include <cstdint>

#include "model/declaration.h"

namespace sz {

// Writes elements [begin, end) of the flattened parameter to `out` (fp32). Thread: any.
void initialise(const ParameterDeclaration& parameter, uint64_t seed, int64_t begin, int64_t end, float* out);

}  // namespace sz
