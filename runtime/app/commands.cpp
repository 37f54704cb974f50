#include <cstdio>

#include "app/load_config.h"
#include "app/settings.h"
#include "app/worker.h"
#include "data/prepare.h"
#include "plugin_host/reports.h"

namespace sz {
namespace {

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

// plugins.search of a configuration, or nothing where none is given.
SearchPath search_of(const RunArguments& arguments) {
  if (arguments.config.empty()) return SearchPath::make({});
  return SearchPath::make(ConfigDocument::load(arguments.config, arguments.sets).string_list_at("plugins.search"));
}

}  // namespace

int check_command(const RunArguments& arguments) {
  PluginHost plugins;
  load_config(arguments, plugins);
  print(arguments.config + ": fine\n");
  return 0;
}

int data_prepare_command(const RunArguments& arguments) {
  PluginHost plugins;
  const Config config = load_config(arguments, plugins);
  print(prepare(prepare_options(config, true)).folder + "\n");
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
  PluginHost plugins;
  const Config config = load_config(arguments, plugins);
  print(plan_text(plugins, config));
  return 0;
}

}  // namespace sz
