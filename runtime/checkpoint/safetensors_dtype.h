// Names of element types in safetensors headers.
#pragma once
#include <optional>
#include <string>

#include "base/dtype.h"

namespace sz {

inline constexpr DType kAllDTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16,
                                       DType::kI64, DType::kI32, DType::kU8};

constexpr const char* safetensors_name(DType dtype) {
  switch (dtype) {
    case DType::kF32: return "F32";
    case DType::kF64: return "F64";
    case DType::kF16: return "F16";
    case DType::kBF16: return "BF16";
    case DType::kI64: return "I64";
    case DType::kI32: return "I32";
    case DType::kU8: return "U8";
  }
  return "?";
}

inline std::optional<DType> dtype_from_safetensors(const std::string& name) {
  for (const DType dtype : kAllDTypes) {
    if (name == safetensors_name(dtype)) return dtype;
  }
  return std::nullopt;
}

}  // namespace sz
