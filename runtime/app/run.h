// `szworker run`: one rank of one run, from the configuration to the generated sample.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "app/environment.h"
#include "app/route_choice.h"
#include "app/run_folder.h"
#include "app/score_book.h"
#include "app/worker.h"
#include "base/journal.h"
#include "base/log.h"
#include "comm/communicator.h"
#include "data/dataset.h"
#include "plugin_host/loaded_plugins.h"
#include "train/trainer.h"

namespace sz {

class Run {
 public:
  explicit Run(const RunArguments& arguments);
  ~Run();
  // The exit code: 0, or 143/130 for a run that was asked to stop. Errors: Error, after the peers were told.
  int execute();

 private:
  int stages();
  void configure();
  void connect();
  void find_checkpoint();
  std::string resumed_text() const;
  void claim_folder();
  void begin_folder();
  void begin_history();
  bool continues() const;
  void choose_route();
  void limit_memory();
  void open_data();
  void check_data();
  void start_plugins();
  std::vector<double> scores(Split split, const std::string& scorer);
  void fill_slots();
  void build();
  RunOutcome train();
  void report_model() const;
  void sample();
  void summarise(const RunOutcome& outcome);
  bool first() const { return launch_.rank == 0; }
  log::Level stderr_level() const;
  const Config& config() const { return plugins_->config(); }
  PluginHost& host() { return plugins_->host(); }
  void decide(const std::string& part, const std::string& what, const std::string& cause, Scalar to);

  RunArguments arguments_;
  LaunchInfo launch_;
  std::vector<RouteSpeed> speeds_;
  uint64_t memory_limit_ = 0;  // bytes of tensors; 0: none
  std::optional<CheckpointReader> resume_;
  std::unique_ptr<RunFolder> folder_;  // rank 0
  std::string folder_path_, route_, data_folder_;
  std::unique_ptr<DecisionLog> decisions_;
  std::unique_ptr<MetricsLog> metrics_;  // rank 0
  std::unique_ptr<TensorBoardLog> tensorboard_;  // rank 0, or none
  std::shared_ptr<Dataset> data_;
  RunServices services_;
  ModelDeclaration model_;
  // From here on the order matters: plugins stop before communication ends, and what they gave goes before them.
  std::unique_ptr<Communicator> comm_;
  HookTable hooks_;
  std::unique_ptr<LoadedPlugins> plugins_;
  std::unique_ptr<ScoreBook> scores_;  // once a plugin has asked for scores
  std::unique_ptr<Precision> precision_;  // the runtime's defaults, where no plugin owns the slot
  std::unique_ptr<Residency> residency_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Schedule> schedule_;
  TrainParts parts_;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace sz
