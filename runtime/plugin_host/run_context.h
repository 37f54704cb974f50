// What the host's interfaces stand on: the run as its plugins may see it. Filled by the application.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/config.h"
#include "base/journal.h"
#include "comm/communicator.h"
#include "data/source_service.h"
#include "model/declaration.h"
#include "model/services.h"
#include "train/hooks.h"
#include "train/run_services.h"

namespace sz {

class PluginInstance;

struct RunPosition {
  int64_t step = 0, attempt = 0, epoch = 0;
  int64_t total_steps = 0;  // 0: not yet known
  int64_t steps_per_epoch = 0, global_batch = 0;
};

// Given at start. Borrowed, and alive until stop() has returned.
struct RunContext {
  const Config* config = nullptr;
  RunServices* services = nullptr;
  DecisionLog* decisions = nullptr;  // null, or written to on rank 0 alone
  Communicator* comm = nullptr;
  std::string name, folder;
  uint64_t seed = 0;
  uint64_t memory_limit = 0;                  // bytes; 0: none
  std::function<RunPosition()> position;      // empty: all zero
  // Of every sample of the split, by the name of a provider of sz.scorer/1; empty: not in this process.
  std::function<std::vector<double>(Split, const std::string& scorer)> scores;
};

// What all plugin instances of a run share. Thread: main, but for what says otherwise.
struct HostRun {
  RunContext context;
  std::thread::id main_thread;
  ModelDeclaration* model = nullptr;          // the run's, from MODEL_DECLARED on
  ModelDeclaration* declaring = nullptr;      // the model that may be changed now, or null
  std::shared_ptr<const Loss> declaring_loss; // of the architecture that is declaring
  std::shared_ptr<const Source> source;       // from MODEL_DECLARED on; itself for any thread
  std::optional<Hook> hook;                   // being observed now
  uint64_t sampler_revision = 0;              // moves when plans made ahead are to be dropped
  std::vector<PluginInstance*> instances;     // in order of start

  RunPosition position() const { return context.position ? context.position() : RunPosition{}; }
};

}  // namespace sz
