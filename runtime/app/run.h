// `szworker run`: one rank of one run, from the configuration to the generated sample.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "app/environment.h"
#include "app/parts.h"
#include "app/route_choice.h"
#include "app/run_folder.h"
#include "app/worker.h"
#include "base/journal.h"
#include "comm/communicator.h"
#include "data/dataset.h"
#include "train/trainer.h"

namespace sz {

class Run {
 public:
  explicit Run(const RunArguments& arguments);
  ~Run();
  // The exit code: 0, or 143/130 for a run that was asked to stop. Errors: Error, after the peers were told.
  int execute();

 private:
  void configure();
  void connect();
  void find_checkpoint();
  void agree();
  void open_folder();
  void choose_route();
  void open_data();
  void build();
  RunOutcome train();
  void sample();
  void summarise(const RunOutcome& outcome);
  bool first() const { return launch_.rank == 0; }
  void decide(const std::string& part, const std::string& what, const std::string& cause, Scalar to);

  RunArguments arguments_;
  LaunchInfo launch_;
  std::optional<Config> config_;
  std::vector<RouteSpeed> speeds_;
  std::unique_ptr<Communicator> comm_;
  std::optional<CheckpointReader> resume_;
  std::optional<RunFolder> folder_;  // rank 0
  std::string folder_path_;
  std::unique_ptr<DecisionLog> decisions_;
  std::unique_ptr<MetricsLog> metrics_;  // rank 0
  std::string route_;
  std::shared_ptr<Dataset> data_;

  ServiceRegistry registry_;
  RunServices services_;
  HookTable hooks_;
  ModelDeclaration model_;
  std::unique_ptr<Precision> precision_;
  std::unique_ptr<Residency> residency_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace sz
