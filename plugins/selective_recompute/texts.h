// Decisions in words, English and Chinese.
#pragma once
#include <string>

#include <sz/decisions.hpp>

#include "budget.h"
#include "policy.h"

namespace recompute {

struct StartFacts {
  std::string segment, policy;
  Keep keep = Keep::kAll;
  double held = 0;             // bytes, measured in the first forward pass, without what offload takes away
  double given_back = 0;       // bytes, expected from shapes
  double cost_percent = 0;     // of a step's time, expected from shapes
};
sz::Decision start_decision(const StartFacts& facts);

struct MeasuredFacts {
  std::string kind, policy;
  int segments = 0;
  Keep keep = Keep::kAll;
  double given_back = -1, microseconds = -1;  // of one segment and micro-batch; negative: not measured
  double expected_percent = 0, step_microseconds = 0;  // of all segments' forward and backward in a micro-batch
  bool in_chunks = false;  // run again in chunks of rows, and none kept whole: bytes are of shapes, time is forward's
};
sz::Decision measured_decision(const MeasuredFacts& facts);

// That a micro-batch has too few rows for that many chunks.
sz::Decision slices_decision(int64_t slices, int64_t rows);

sz::Decision budget_decision(const BudgetChoice& choice, double budget_bytes);
sz::Decision changed_decision(const std::string& segment, Keep from, Keep to, const SegmentCost& cost);

}  // namespace recompute
