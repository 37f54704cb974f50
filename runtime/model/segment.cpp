#include "model/segment.h"

#include "base/error.h"

namespace sz {

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::kTrain: return "train";
    case Mode::kRecompute: return "recompute";
    case Mode::kEvaluate: return "evaluate";
    case Mode::kGenerate: return "generate";
  }
  return "?";
}

SegmentGradients Segment::backward(const SegmentContext&, const TensorList&, const TensorList&, const TensorList&,
                                   const TensorList&) const {
  SZ_ASSERT(!"backward() called on a segment that has none");
  return {};
}

}  // namespace sz
