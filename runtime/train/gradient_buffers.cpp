#include "train/gradient_buffers.h"

#include <ATen/ops/zeros.h>

#include "ops/dtypes.h"

namespace sz {

GradientBuffers::GradientBuffers(const FlatLayout& layout) {
  for (const auto& [dtype, numel] : layout.gradient_numel) buffers_[dtype] = at::zeros({numel}, to_torch(dtype));
}

at::Tensor GradientBuffers::stretch(DType dtype, int64_t begin, int64_t numel) const {
  return buffers_.at(dtype).narrow(0, begin, numel);
}

at::Tensor GradientBuffers::of(const FlatUnit& unit, int64_t begin, int64_t numel) const {
  return stretch(unit.dtypes.accumulate, unit.gradient_begin + begin, numel);
}

}  // namespace sz
