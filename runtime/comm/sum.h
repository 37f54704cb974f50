// The sums of the collectives: element by element, in the order of the sources.
#pragma once
#include <cstddef>
#include <vector>

#include "base/dtype.h"

namespace sz {

bool is_summable(DType dtype);  // fp32, fp64, fp16, bf16, int64

// out[i] = (sources[0][i] + sources[1][i]) + ...; fp16 and bf16 add in fp32 and round once, int64 wraps.
// At least one source. out may be one of the sources, else it must not overlap any.
void sum_in_order(const std::vector<const void*>& sources, void* out, size_t count, DType dtype);

}  // namespace sz
