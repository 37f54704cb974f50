#include <algorithm>
#include <cstdio>

#include "app/environment.h"
#include "app/load_config.h"
#include "app/schema_markdown.h"
#include "app/settings.h"
#include "app/worker.h"
#include "base/error.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/prepare.h"
#include "ops/matrix_route.h"
#include "plugin_host/reports.h"

namespace sz {
namespace {

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

// Where a configuration lets plugins be looked for; the usual places where none is given.
SearchPath search_of(const RunArguments& arguments) {
  if (arguments.config.empty()) return SearchPath::make({});
  return SearchPath::of(ConfigDocument::load(arguments.config, arguments.sets));
}

// Of this machine: those that train may have other routes.
std::string route_warning(const Config& config) {
  const std::vector<std::string> routes = available_matrix_routes();
  if (!config.has("run.matrix_route")) return "";
  const std::string& wanted = config.get_string("run.matrix_route");
  if (std::find(routes.begin(), routes.end(), wanted) != routes.end()) return "";
  return "warning: " + config.cite("run.matrix_route") + ": this machine has no route \"" + wanted + "\", only " +
         joined(routes) + "; leave the key out to have one measured\n";
}

// As far as it is known without preparing any data. Text that isn't there is no fault of the configuration: others may
// have it. It is worth a warning.
PluginHost::KnownRun known_run(const Config& config) {
  PluginHost::KnownRun run;
  run.ranks = launch_info().ranks;
  run.total_steps = config.get_int("train.steps");
  try {
    const auto prepared = find_prepared(prepare_options(config, false));
    if (!prepared) return run;
    const int64_t samples = Dataset::open(prepared->folder, config.get_int("train.context"))->count(Split::kTrain);
    const int64_t batch = config.get_int("train.micro_batch") * config.get_int("train.accumulation") * run.ranks;
    run.steps_per_epoch = (samples + batch - 1) / batch;
    if (run.total_steps == 0) run.total_steps = config.get_int("train.epochs") * run.steps_per_epoch;
  } catch (const Error& e) {
    print("warning: on this machine: " + std::string(e.what()) + "\n");
  }
  return run;
}

}  // namespace

int check_command(const RunArguments& arguments) {
  const auto plugins = load_config(arguments);
  const Config& config = plugins->config();
  for (const std::string& warning : plugins->host().warnings(config, known_run(config))) {
    print("warning: " + warning + "\n");
  }
  print(route_warning(config));
  print(arguments.config + ": fine\n");
  return 0;
}

int data_prepare_command(const RunArguments& arguments) {
  print(prepare(prepare_options(load_config(arguments)->config(), true)).folder + "\n");
  return 0;
}

int schema_command(const std::vector<std::string>& plugins) {
  print(schema_markdown(plugins, SearchPath::make({})));
  return 0;
}

int plugins_list_command(const RunArguments& arguments) {
  print(list_text(search_of(arguments)));
  return 0;
}

int plugins_info_command(const std::string& name, const RunArguments& arguments) {
  print(info_text(name, search_of(arguments)));
  return 0;
}

int plugins_plan_command(const RunArguments& arguments) {
  const auto plugins = load_config(arguments);
  print(plan_text(plugins->host(), plugins->config()));
  return 0;
}

}  // namespace sz
