// An update unit: a flat piece of parameters with its gradient and optimizer state, updated in one pass.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace sz {

// A stretch of one parameter inside a unit's buffers.
struct ParamRange {
  int parameter = 0;         // index into ModelDeclaration::parameters
  int64_t unit_offset = 0;   // first element within this rank's part of the unit
  int64_t param_offset = 0;  // the same element within the flattened parameter
  int64_t count = 0;
};

// Homogeneous in (segment or shared set, dtypes, decay group, trainable). Pointers are borrowed and 64-byte
// aligned; elements outside `ranges` are padding: zero gradient, never counted, never saved.
struct UpdateUnit {
  std::string name;
  int64_t numel = 0;                 // elements on this rank, padding included
  float* master = nullptr;           // fp32
  const void* gradient = nullptr;    // summed over ranks and micro-batches, still multiplied by the loss scale
  DType gradient_dtype = DType::kF32;
  std::vector<float*> state;         // the optimizer's arrays, in the order of Optimizer::state_names()
  void* mirror = nullptr;            // compute copy to be written from master, or null
  DType mirror_dtype = DType::kF16;
  bool decay = false;
  std::vector<ParamRange> ranges;
};

// What one applied step multiplies and schedules by.
struct StepScalars {
  int64_t step = 1;        // 1 for the first applied step: Adam's bias correction
  double lr = 0;
  double multiplier = 1;   // clip factor / loss scale
};

}  // namespace sz
