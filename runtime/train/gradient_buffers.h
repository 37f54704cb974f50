// The gradients of all trainable units, in one flat buffer for each dtype that they are summed in.
#pragma once
#include <ATen/core/Tensor.h>

#include <map>

#include "train/flat_layout.h"

namespace sz {

class GradientBuffers {
 public:
  GradientBuffers() = default;
  explicit GradientBuffers(const FlatLayout& layout);  // zeros, 64-byte aligned

  const std::map<DType, at::Tensor>& all() const { return buffers_; }  // [elements]
  // Views; begin counts within the gradients of that dtype, or within the unit.
  at::Tensor stretch(DType dtype, int64_t begin, int64_t numel) const;
  at::Tensor of(const FlatUnit& unit, int64_t begin, int64_t numel) const;

 private:
  std::map<DType, at::Tensor> buffers_;
};

}  // namespace sz
