#include "plugin_host/dtype_map.h"

#include "base/error.h"
#include "ops/dtypes.h"

namespace sz {

static_assert(int(DType::kF32) == SZ_F32 && int(DType::kF64) == SZ_F64 && int(DType::kF16) == SZ_F16 &&
              int(DType::kBF16) == SZ_BF16 && int(DType::kI64) == SZ_I64 && int(DType::kI32) == SZ_I32 &&
              int(DType::kU8) == SZ_U8);

DType to_dtype(sz_dtype dtype) {
  if (dtype > SZ_U8) throw Error(Exit::kPlugin, "unknown element type " + std::to_string(dtype));
  return DType(dtype);
}

at::ScalarType to_scalar_type(sz_dtype dtype) { return to_torch(to_dtype(dtype)); }

sz_dtype from_scalar_type(at::ScalarType type) {
  for (sz_dtype dtype = 0; dtype <= SZ_U8; ++dtype) {
    if (to_scalar_type(dtype) == type) return dtype;
  }
  throw Error(Exit::kPlugin, std::string("the tensor's element type ") + c10::toString(type) +
                                 " has no name in the ABI");
}

}  // namespace sz
