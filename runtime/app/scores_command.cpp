// `data scores CONFIG`: computes what isn't computed yet, and shows all of it.
#include <cstdio>

#include "app/environment.h"
#include "app/load_config.h"
#include "app/score_book.h"
#include "app/score_report.h"
#include "app/settings.h"
#include "app/worker.h"
#include "base/error.h"
#include "comm/communicator.h"
#include "data/prepare.h"
#include "train/run_services.h"

namespace sz {
namespace {

bool gives_scores(const PlannedPlugin& plugin) {
  for (const ServiceOffer& offer : plugin.gives) {
    if (offer.service == "sz.scorer/1") return true;
  }
  return false;
}

// The configuration with every plugin off that doesn't score.
std::unique_ptr<LoadedPlugins> load_scorers(const RunArguments& arguments) {
  const auto all = load_config(arguments);
  RunArguments scoring = arguments;
  bool any = false;
  for (const PlannedPlugin& plugin : all->plan().plugins) {
    any |= gives_scores(plugin);
    if (!gives_scores(plugin)) scoring.sets.push_back("plugins." + plugin.id + ".enabled=false");
  }
  if (any) return load_config(scoring);
  throw Error(Exit::kUsage, arguments.config + ": no plugin that scores texts is enabled; enable one, for example "
                                               "--set plugins.scorer_tfidf.enabled=true");
}

ScoredSamples look(ScoreBook& book, const std::shared_ptr<const Dataset>& data) {
  ScoredSamples samples;
  samples.languages = data->languages();
  for (int64_t i = 0; i < data->count(Split::kTrain); ++i) {
    samples.language_of.push_back(data->info(Split::kTrain, i).language);
  }
  samples.text = [data](int64_t i) { return data->text(Split::kTrain, i); };
  for (const PluginScorer& scorer : book.scorers()) {
    samples.measures.push_back({scorer.name(), scorer.routes(), book.scores(Split::kTrain, scorer.name())});
  }
  return samples;
}

}  // namespace

int data_scores_command(const RunArguments& arguments) {
  HookTable hooks;
  RunServices services;
  const std::unique_ptr<Communicator> comm = make_single_communicator();
  const auto plugins = load_scorers(arguments);
  const Config& config = plugins->config();
  const Prepared prepared = prepare(prepare_options(config, true));
  const std::shared_ptr<const Dataset> data = Dataset::open(prepared.folder, config.get_int("train.context"));

  RunContext context;
  context.services = &services;
  context.comm = comm.get();
  context.name = config.get_string("run.name");
  context.seed = uint64_t(config.get_int("run.seed"));
  plugins->start(context, hooks);
  plugins->host().set_source(data);
  ScoreBookOptions options;
  options.folder = prepared.folder;
  options.threads = threads_of_rank(int(config.get_int("launch.threads")), launch_info());
  ScoreBook book(config, data, plugins->host().scorers(), options);
  std::fputs(describe(look(book, data)).c_str(), stdout);
  return 0;
}

}  // namespace sz
