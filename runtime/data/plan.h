// What a step trains on, decided alike on all ranks before anything is loaded.
#pragma once
#include <cstdint>
#include <vector>

namespace sz {

enum class Split : uint8_t { kTrain = 0, kValidation = 1 };

struct PlanItem {
  int64_t sample = 0;      // index into the split
  uint64_t position = 0;   // place in the data order of the whole run: the key of this sample's randomness
  uint32_t transform = 0;  // 0: as stored; others are named by whoever owns the sampler
  uint32_t flags = 0;
  uint64_t seed = 0;       // for the transform
};

// The global list of a step, all ranks and micro-batches: item i goes to micro-batch
// (i / micro_batch) / ranks of rank (i / micro_batch) % ranks.
using Plan = std::vector<PlanItem>;

}  // namespace sz
