// A padded rectangle of samples, as the model sees it.
#pragma once
#include <cstdint>
#include <vector>

namespace sz {

// A rank that has no sample left in a short plan still takes part, with one row of one masked token: rows = cols = 1,
// ids 0, mask 0, sample -1, position 0, plan_index -1, tokens 0.
struct MicroBatch {
  int64_t rows = 0;  // samples
  int64_t cols = 0;  // longest sample of the batch, in tokens
  // rows * cols, row-major. Position (r, t) predicts labels from ids[r, 0..t]. Padding: id 0, label 0, mask 0.
  std::vector<int64_t> ids, labels;
  std::vector<float> mask;          // 1 where the label counts
  std::vector<int64_t> sample;      // rows: index into the split
  std::vector<uint64_t> position;   // rows: PlanItem::position
  std::vector<int32_t> plan_index;  // rows: index into the step's plan
  int64_t tokens = 0;               // labels that count (sum of mask)
};

}  // namespace sz
