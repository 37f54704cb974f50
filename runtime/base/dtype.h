// Element types that cross layers (communication, checkpoints, plugins) without LibTorch.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sz {

enum class DType : uint8_t { kF32 = 0, kF64 = 1, kF16 = 2, kBF16 = 3, kI64 = 4, kI32 = 5, kU8 = 6 };

constexpr size_t size_of(DType t) {
  switch (t) {
    case DType::kF64:
    case DType::kI64: return 8;
    case DType::kF32:
    case DType::kI32: return 4;
    case DType::kF16:
    case DType::kBF16: return 2;
    case DType::kU8: return 1;
  }
  return 0;
}

constexpr const char* name_of(DType t) {
  switch (t) {
    case DType::kF32: return "fp32";
    case DType::kF64: return "fp64";
    case DType::kF16: return "fp16";
    case DType::kBF16: return "bf16";
    case DType::kI64: return "int64";
    case DType::kI32: return "int32";
    case DType::kU8: return "uint8";
  }
  return "?";
}

}  // namespace sz
