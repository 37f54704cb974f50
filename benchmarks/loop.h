// The whole loop (Trainer, data loading, verdict, update) as benchmarks run it: with plugins' parts where plugins are
// loaded, else with the runtime's own.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "optim/schedule.h"
#include "plugin_host/loaded_plugins.h"
#include "train/default_precision.h"
#include "train/replicated_residency.h"
#include "train/trainer.h"

namespace sz::bench {

// Observers join `hooks` before load() or after it, as they are to be called before the plugins or after them.
// Thread: main.
class Loop {
 public:
  Loop(Communicator& comm, ModelDeclaration model, bool bf16)
      : comm_(comm), model_(std::move(model)), residency_(make_replicated_residency({})),
        precision_(make_default_precision({bf16, 10})) {}

  // Once, before all that follows. toml: [plugins.NAME] tables, or empty. folder: where the libraries are.
  void load(const std::string& toml, const std::string& folder) {
    RunContext context;
    context.services = &services;
    context.decisions = &decisions_;
    context.comm = &comm_;
    context.name = "benchmark";
    context.folder = std::filesystem::temp_directory_path().string();
    plugins_.emplace(toml, std::vector<std::string>{folder});
    plugins_->start(std::move(context), hooks);
    plugins_->host().set_model(&model_);
  }
  Residency& residency() {
    Residency* const owner = plugins_->host().residency();
    return owner ? *owner : *residency_;
  }
  void train(std::shared_ptr<const Source> source, Sampler& sampler, Optimizer& optimizer, Schedule& schedule,
             int64_t steps, int64_t micro_batch) {
    Precision* const precision = plugins_->host().precision();
    TrainParts parts;
    parts.comm = &comm_;
    parts.source = std::move(source);
    parts.model = &model_;
    parts.residency = &residency();
    parts.sampler = &sampler;
    parts.precision = precision ? precision : precision_.get();
    parts.optimizer = &optimizer;
    parts.hooks = &hooks;
    parts.services = &services;
    parts.decisions = &decisions_;
    TrainOptions options;
    options.steps = steps;
    options.micro_batch = micro_batch;
    options.keep_stable = false;
    options.progress = false;
    Trainer trainer(options, parts);
    trainer.set_schedule(&schedule);
    trainer.run(nullptr);
  }

  HookTable hooks;
  RunServices services;

 private:
  Communicator& comm_;
  ModelDeclaration model_;
  std::unique_ptr<Residency> residency_;
  std::unique_ptr<Precision> precision_;
  DecisionLog decisions_{"", Language::kEnglish};
  std::optional<LoadedPlugins> plugins_;
};

}  // namespace sz::bench
