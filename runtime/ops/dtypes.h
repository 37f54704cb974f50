// Between LibTorch's element types and ours.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <string>

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

// Of a tensor for a kernel that is made for fp32, bf16 and fp16. kernel: the subject of the message.
// Errors: Error(kInternal) for any other.
inline DType kernel_dtype(const at::Tensor& t, const char* kernel) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    if (t.scalar_type() == to_torch(dtype)) return dtype;
  }
  throw Error(Exit::kInternal, std::string(kernel) + " takes fp32, bf16 or fp16");
}

}  // namespace sz
