// Between LibTorch's element types and ours.
#pragma once
#include <c10/core/ScalarType.h>

#include "base/dtype.h"
#include "base/error.h"

namespace sz {

inline at::ScalarType to_torch(DType t) {
  switch (t) {
    case DType::kF32: return at::kFloat;
    case DType::kF64: return at::kDouble;
    case DType::kF16: return at::kHalf;
    case DType::kBF16: return at::kBFloat16;
    case DType::kI64: return at::kLong;
    case DType::kI32: return at::kInt;
    case DType::kU8: return at::kByte;
  }
  SZ_ASSERT(!"unknown dtype");
  return at::kFloat;
}

}  // namespace sz
