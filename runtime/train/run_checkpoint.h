// A run's state in and out of checkpoints: counters, sampler, parameters, optimizer state, states of parts and plugins.
#pragma once
#include <string>

#include "checkpoint/checkpoint.h"
#include "train/context.h"

namespace sz {

// Collective. Writes OPTIONS.checkpoints/step-N, prunes old ones, and returns the folder.
std::string save_run(const TrainOptions& options, TrainParts& parts, const RunState& state,
                     const std::string& sampler_state);

struct LoadedRun {
  RunState state;
  std::string sampler_state;
  int64_t global_batch = 0;  // of the run that wrote it
};

// Reads `reader` into residency and the stateful parts. Errors: Error(kCorrupt) for arrays that are missing;
// Error(kUsage) where the model in the checkpoint has other parameters or shapes, naming the first.
LoadedRun load_run(const CheckpointReader& reader, TrainParts& parts);

}  // namespace sz
