// Element types between the ABI, the runtime and LibTorch.
#pragma once
#include <ATen/core/Tensor.h>
#include <sz/base.h>

#include "base/dtype.h"

namespace sz {

// Errors: Error(kPlugin) for an unknown value.
DType to_dtype(sz_dtype dtype);
at::ScalarType to_scalar_type(sz_dtype dtype);

// Errors: Error(kPlugin) for a type that the ABI has no name for.
sz_dtype from_scalar_type(at::ScalarType type);

}  // namespace sz
