// VERDICT's first phase: one fp64 all-reduce that makes local facts global.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "data/micro_batch.h"
#include "train/facts.h"
#include "train/run_services.h"
#include "train/slots.h"

namespace sz {

// What one rank knows of an attempt.
struct LocalFacts {
  GradientFacts gradient;
  int64_t low_entries = 0, low_zeros = 0;
  std::vector<SampleOutcome> samples;  // the whole plan; this rank's own filled, the others zero
  std::vector<double> scalars;         // in ScalarBoard order
  std::vector<bool> observer_failed;   // by HookTable entry
  int signal = 0;
  Requests requests;
  uint64_t state_hash = 0;             // of what must be the same on all ranks
};

struct GlobalFacts {
  StepFacts facts;
  std::vector<int> observer_failures;  // ranks on which the entry failed, by HookTable entry
};

// Adds a micro-batch's outcomes to `samples`, over tokens that count.
void add_outcomes(const MicroBatch& batch, const float* token_loss, const uint8_t* token_correct,
                  std::vector<SampleOutcome>& samples);

// Collective on Channel::kScalar. `scale`: the loss scale of the attempt. Step and attempt are left to the caller.
// Errors: Error(kComm) when the ranks' state hashes differ, naming a rank that has drifted apart.
GlobalFacts exchange(const LocalFacts& local, const std::vector<std::string>& scalar_names, double scale,
                     Communicator& comm);

}  // namespace sz
