// Plugins that score, in a host, and a small data set in both languages.
#pragma once
#include <memory>
#include <string>

#include "app/score_book.h"
#include "comm/communicator.h"
#include "data/prepare.h"
#include "plugin_host/loaded_plugins.h"
#include "train/run_services.h"
#include "unit/data/fixtures.h"

namespace sz {

class ScoringRun {
 public:
  explicit ScoringRun(const std::string& toml, const std::string& folder = SZ_BUILT_PLUGINS)
      : comm_(make_single_communicator()), plugins_(toml, {folder}), config(plugins_.config()), host(plugins_.host()) {}

  // Errors: the plugins' own.
  ScoringRun& start() {
    RunContext context;
    context.services = &services_;
    context.comm = comm_.get();
    context.name = "test";
    plugins_.start(context, hooks_);
    return *this;
  }

 private:
  RunServices services_;
  std::unique_ptr<Communicator> comm_;
  HookTable hooks_;
  LoadedPlugins plugins_;

 public:
  const Config& config;
  PluginHost& host;
};

struct SmallData {
  SmallData() {
    PrepareOptions options;
    options.paths = {files.write("text/corpus.txt", test::mixed_corpus(60))};
    options.vocabulary = 330;
    options.validation = 0.1;
    options.cache = files.path() + "/cache";
    options.progress = false;
    folder = prepare(options).folder;
    data = Dataset::open(folder, 64);
  }
  ScoreBookOptions book(int threads = 2) const { return {folder, threads, false}; }

  test::TemporaryFolder files;
  std::string folder;
  std::shared_ptr<const Dataset> data;
};

}  // namespace sz
