// What the parts of the trainer share: who does what, what was asked for, and where the run is.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/journal.h"
#include "base/tensorboard.h"
#include "comm/communicator.h"
#include "data/batches.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/hooks.h"
#include "train/run_services.h"
#include "train/slots.h"

namespace sz {

struct TrainOptions {
  int64_t steps = 0;            // applied steps to reach; 0: epochs counts
  int64_t epochs = 0;
  int64_t micro_batch = 1;      // samples
  int64_t accumulation = 1;     // micro-batches a step and rank
  std::optional<double> grad_clip;  // global norm; overrides the precision slot's limit
  int64_t stable_every = 100;
  bool keep_stable = true;      // false: train.snapshot = "none"
  int64_t stable_after = 3;     // good attempts in a row before a stable state may be marked
  int64_t eval_every = 0;       // steps; 0: only at epochs' ends
  int64_t eval_samples = 0;     // taken evenly over the validation split; 0: all
  int64_t checkpoint_every = 0; // steps; 0: only at the end
  int64_t checkpoint_keep = 2;
  int prefetch = 2;             // plans ahead
  uint64_t seed = 0;
  std::string checkpoints;      // folder; empty: none are written
  std::string config_toml;      // saved in every checkpoint
  std::string matrix_route;     // likewise
  std::string data;             // likewise: the data set's fingerprint
  bool progress = true;         // a progress line (rank 0)
};

// Borrowed, and alive as long as the trainer. `metrics` and `tensorboard` are null on ranks other than 0,
// and may be set later (Trainer::set_journals).
struct TrainParts {
  Communicator* comm = nullptr;
  std::shared_ptr<const Source> source;
  ModelDeclaration* model = nullptr;
  Residency* residency = nullptr;
  Sampler* sampler = nullptr;
  Precision* precision = nullptr;
  Optimizer* optimizer = nullptr;
  Schedule* schedule = nullptr;
  HookTable* hooks = nullptr;
  RunServices* services = nullptr;
  std::vector<Voter*> voters;      // besides the precision slot, in load-plan order
  std::vector<Stateful*> states;
  DecisionLog* decisions = nullptr;
  MetricsLog* metrics = nullptr;
  TensorBoardLog* tensorboard = nullptr;  // or null
};

// Everything about the run that is a number. `attempt` never goes back; the others do in a rollback.
struct RunState {
  int64_t step = 0;     // applied
  int64_t attempt = 0;  // every try
  int64_t plans = 0;    // consumed: the place in the data
  int64_t good_in_a_row = 0;  // attempts applied since the last bad one
  int64_t open_epoch = -1;    // the one between EPOCH_BEGIN and EPOCH_END; -1: none is
};

}  // namespace sz
