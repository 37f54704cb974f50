// szworker: one process a rank. Users type szlaunch, which runs this.
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <new>

#include "app/environment.h"
#include "app/worker.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "ops/allocator.h"

namespace {

int finish(int code, const std::string& message) {
  const sz::LaunchInfo launch = sz::launch_info();
  if (!message.empty() && (!launch.under_mpi || std::getenv("SZ_STATUS_DIR") == nullptr)) sz::log::error(message);
  sz::log::flush();
  sz::report_exit(launch.rank, code, message);
  return code;
}

// Runs the verb and turns what it throws into a message and an exit code.
template <class Verb>
int guarded(const Verb& verb) {
  try {
    return finish(verb(), "");
  } catch (const sz::Error& e) {
    return finish(int(e.exit()), e.what());
  } catch (const std::bad_alloc&) {
    return finish(int(sz::Exit::kExhausted), "out of memory; lower train.micro_batch or train.context");
  } catch (const std::exception& e) {
    return finish(int(sz::Exit::kInternal), std::string("internal error: ") + e.what());
  }
}

// The programmer's errors end a rank like any other error: in its log, told to the launcher, with exit code 1.
void on_assertion(const std::string& message) {
  sz::report_exit(sz::launch_info().rank, int(sz::Exit::kInternal), message);
  sz::log::error(message);
  sz::log::flush();
  std::_Exit(int(sz::Exit::kInternal));
}

}  // namespace

int main(int argc, char** argv) {
  sz::install_allocator();
  sz::set_assertion_handler(on_assertion);
  sz::install_signal_handlers(sz::launch_info().under_mpi ? sz::SecondStop::kIgnored : sz::SecondStop::kEnds);
  CLI::App app{"one rank of a training run; started by szlaunch", "szworker"};
  app.require_subcommand(1);
  sz::RunArguments arguments;
  std::string name;
  const auto with_config = [&](CLI::App* verb, bool required) {
    verb->add_option("config", arguments.config, "TOML file")->required(required);
    verb->add_option("--set", arguments.sets, "KEY=VALUE, wins over the file")->allow_extra_args(false);
    return verb;
  };
  CLI::App* const run = with_config(app.add_subcommand("run", "train"), true);
  run->add_option("--resume", arguments.resume, "auto, or a checkpoint or run folder");
  CLI::App* const check = with_config(app.add_subcommand("check", "check a configuration"), true);
  CLI::App* const data = app.add_subcommand("data", "data sets")->require_subcommand(1);
  CLI::App* const prepare = with_config(data->add_subcommand("prepare", "tokenize the text of a configuration"), true);
  CLI::App* const scores = with_config(data->add_subcommand("scores", "how hard each sample is, by each scorer"), true);
  CLI::App* const plugins = app.add_subcommand("plugins", "plugins")->require_subcommand(1);
  CLI::App* const list = with_config(plugins->add_subcommand("list", "those that are found"), false);
  CLI::App* const plan = with_config(plugins->add_subcommand("plan", "the load plan of a configuration"), true);
  CLI::App* const info = plugins->add_subcommand("info", "all that a plugin declares");
  info->add_option("name", name, "plugin")->required();
  info->add_option("config", arguments.config, "TOML file, for plugins.search and paths");
  CLI::App* const doctor = app.add_subcommand("doctor", "what the runtime finds on this machine");
  CLI::App* const schema = app.add_subcommand("schema", "every configuration key, as Markdown");
  std::vector<std::string> names;
  schema->add_option("plugins", names, "plugins whose keys are told as well");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : int(sz::Exit::kUsage);
  }
  return guarded([&]() -> int {
    if (run->parsed()) return sz::run_command(arguments);
    if (check->parsed()) return sz::check_command(arguments);
    if (prepare->parsed()) return sz::data_prepare_command(arguments);
    if (scores->parsed()) return sz::data_scores_command(arguments);
    if (doctor->parsed()) return sz::doctor_command();
    if (schema->parsed()) return sz::schema_command(names);
    if (list->parsed()) return sz::plugins_list_command(arguments);
    if (plan->parsed()) return sz::plugins_plan_command(arguments);
    return info->parsed() ? sz::plugins_info_command(name, arguments) : int(sz::Exit::kUsage);
  });
}
