// Plugins that score, in a host, and a small data set in both languages.
#pragma once
#include <memory>
#include <string>

#include "app/score_book.h"
#include "comm/communicator.h"
#include "data/prepare.h"
#include "plugin_host/host.h"
#include "train/run_services.h"
#include "unit/data/fixtures.h"

namespace sz {

class ScoringRun {
 public:
  explicit ScoringRun(const std::string& plugins_toml) : comm(make_single_communicator()) {
    const std::string search = "[plugins]\nsearch = [\"" SZ_BUILT_PLUGINS "\"]\n";
    const ConfigDocument document = ConfigDocument::parse(search + plugins_toml, "test.toml");
    host = PluginHost::discover(document);
    Schema schema;
    schema.add({"plugins.search", KeyType::kStringList, "[]", "folders"});
    host.add_schema(schema);
    config = Config::resolve(document, schema, host.faults());
    host.make_plan(config);
  }
  ~ScoringRun() { host.stop(); }

  // Errors: the plugins' own.
  ScoringRun& start() {
    RunContext context;
    context.config = &config;
    context.services = &services;
    context.comm = comm.get();
    context.name = "test";
    host.create();
    host.start(context);
    return *this;
  }

  Config config;
  RunServices services;
  std::unique_ptr<Communicator> comm;
  PluginHost host;
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
