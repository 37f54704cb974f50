// A segment's context between the runtime and the ABI.
#pragma once
#include <sz/services.h>

#include "model/segment.h"

namespace sz {

static_assert(int(Mode::kTrain) == SZ_MODE_TRAIN && int(Mode::kRecompute) == SZ_MODE_RECOMPUTE &&
              int(Mode::kEvaluate) == SZ_MODE_EVALUATE && int(Mode::kGenerate) == SZ_MODE_GENERATE);

inline sz_segment_context to_context(const SegmentContext& from) {
  return {sizeof(sz_segment_context), sz_mode(from.mode),    from.index,
          uint32_t(from.save_level),      from.seed,
          from.positions.size(),      from.positions.data(), from.past};
}

}  // namespace sz
