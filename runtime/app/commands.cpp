#include <cstdio>

#include "app/schema.h"
#include "app/settings.h"
#include "app/worker.h"
#include "base/log.h"
#include "data/dataset.h"
#include "data/prepare.h"

namespace sz {
namespace {

Config checked_config(const RunArguments& arguments) {
  const ConfigDocument document = ConfigDocument::load(arguments.config, arguments.sets);
  const Schema schema = runtime_schema();
  const Config config = Config::resolve(document, schema);
  const auto faults = cross_key_faults(config);
  return faults.empty() ? config : Config::resolve(document, schema, faults);
}

}  // namespace

int check_command(const RunArguments& arguments) {
  const Config config = checked_config(arguments);
  std::printf("%s: fine\n", arguments.config.c_str());
  return 0;
}

int data_prepare_command(const RunArguments& arguments) {
  const Config config = checked_config(arguments);
  const Prepared prepared = prepare(prepare_options(config, true));
  std::printf("%s\n", prepared.folder.c_str());
  return 0;
}

int plugins_list_command(const RunArguments&) { return 0; }
int plugins_info_command(const std::string&, const RunArguments&) { return 0; }
int plugins_plan_command(const RunArguments&) { return 0; }

}  // namespace sz
