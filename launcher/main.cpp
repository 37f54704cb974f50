// szlaunch: what users type. It starts ranks and hands every verb that needs the runtime to szworker.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "doctor.h"
#include "exit_code.h"
#include "external.h"
#include "process.h"
#include "rank_entry.h"
#include "run.h"

namespace {

using namespace sz::launch;

constexpr char kExamples[] = R"(
Examples:
  szlaunch run configs/quickstart.toml -n 2                      train with two ranks
  szlaunch run my.toml -n 4 --set train.steps=50 --set run.seed=7
  szlaunch run my.toml -n 4 --resume auto                        go on from the newest checkpoint
  szlaunch check my.toml                                         all errors of a configuration in one report
  szlaunch plugins plan my.toml                                  which plugins do what, in which order

`szlaunch COMMAND --help` says more. `szlaunch NAME` runs the executable szlaunch-NAME if there is one.
Exit codes: 0 done, 1 internal error, 2 usage or configuration, 3 plugin, 4 data, 5 training diverged,
6 checkpoint damaged, 7 a rank or the connection was lost, 8 memory or disk exhausted, 130/143 asked to stop.)";

constexpr char kRunHelp[] = R"(
SIGTERM, SIGHUP, SIGINT (Ctrl-C): the ranks save their state and end; exit code 143, for SIGINT 130. A second one,
half a second later or more, kills them. SIGUSR1: they save their state and go on.
One rank lost ends the others within 10 seconds; exit code 7.

Environment: SZ_WORKER names another szworker; OMP_NUM_THREADS the threads of a rank (default: its
share of the physical cores that this process may use, within the quota of its control group).

Examples:
  szlaunch run configs/quickstart.toml -n 2
  szlaunch run my.toml -n 2 --set optimizer.lr=1e-3 --set plugins.amp_o2.enabled=true
  szlaunch run my.toml -n 2 --resume runs/my/checkpoints/step-200)";

// A verb that szworker carries out, with all its arguments.
struct WorkerVerb {
  const char* name;
  const char* summary;
  const char* help;
};

constexpr WorkerVerb kWorkerVerbs[] = {
    {"check", "Check a configuration: all its errors in one report",
     "Usage: szlaunch check CONFIG [--set KEY=VALUE]...\n\n"
     "Reads the configuration and the plugins that it turns on, and reports every error as file:line:column.\n\n"
     "Example:\n  szlaunch check configs/quickstart.toml"},
    {"plugins", "List plugins, describe one, or show the load plan of a configuration",
     "Usage:\n"
     "  szlaunch plugins list [CONFIG]         every plugin found, with version and summary\n"
     "  szlaunch plugins info NAME [CONFIG]    its hooks, slots, services and configuration keys\n"
     "  szlaunch plugins plan CONFIG           which plugins are loaded, in which order, who owns which slot\n\n"
     "CONFIG names folders to search and plugins' paths; `list` and `plan` take --set KEY=VALUE as well."},
    {"data", "Prepare a configuration's data set ahead of training, or look at how hard its samples are",
     "Usage:\n"
     "  szlaunch data prepare CONFIG [--set KEY=VALUE]...\n"
     "  szlaunch data scores CONFIG [--set KEY=VALUE]...\n\n"
     "prepare: trains the tokenizer and writes the token shards, as the first run would. Does nothing while they are\n"
     "current.\n"
     "scores: scores every sample with each plugin that scores texts (once; an interrupted pass goes on), and shows\n"
     "distributions by language, correlations, and the easiest, middle and hardest samples.\n\n"
     "Example:\n  szlaunch data scores my.toml --set plugins.scorer_tfidf.enabled=true"},
};

std::vector<std::string> verbs() {
  std::vector<std::string> names = {"run", "doctor", "help"};
  for (const WorkerVerb& verb : kWorkerVerbs) names.push_back(verb.name);
  return names;
}

int run_worker_verb(const WorkerVerb& verb, const Arguments& arguments) {
  // Wherever help is asked for it is ours: the worker's own would speak of szworker.
  const bool asked = std::any_of(arguments.begin(), arguments.end(),
                                 [](const std::string& word) { return word == "--help" || word == "-h"; });
  if (asked || arguments.empty()) {
    std::fprintf(asked ? stdout : stderr, "%s\n\n%s\n", verb.summary, verb.help);
    return asked ? kDone : kUsage;
  }
  const auto worker = find_worker();
  if (!worker) return kUsage;
  Arguments command = {*worker, verb.name};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return exec(command);
}

std::string check_set(const std::string& set) {
  const std::size_t equals = set.find('=');
  if (equals != std::string::npos && equals > 0) return "";
  return "'" + set + "' is not KEY=VALUE, as in --set train.steps=50";
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand("run", "Train: start the ranks and watch over them");
  run->add_option("CONFIG", options.config, "Configuration file (TOML)")->required();
  run->add_option("-n,--ranks", options.ranks, "Ranks (processes); 1 needs no mpirun")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  run->add_option("--set", options.sets, "KEY=VALUE: set a key of the configuration, as often as you like")
      ->check(CLI::Validator(check_set, ""))
      ->expected(1)
      ->take_all();
  run->add_option("--resume", options.resume, "auto (newest checkpoint of the run folder), or a checkpoint's path");
  run->add_flag("-v,--verbose", options.verbose, "Show the mpirun command and all that mpirun says");
  run->footer(kRunHelp);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Trains language models on one machine or many, with plugins.", "szlaunch");
  app.set_version_flag("--version", "szlaunch " SZ_VERSION);
  app.require_subcommand(1);
  app.footer(kExamples);
  app.get_formatter()->column_width(34);

  RunOptions options;
  add_run(app, options);
  for (const WorkerVerb& verb : kWorkerVerbs) app.add_subcommand(verb.name, verb.summary);  // for the help text
  app.add_subcommand("doctor", "Try what a run needs on this machine");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  return app.got_subcommand("doctor") ? doctor() : run(options);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  const Arguments rest(argv + std::min(argc, 2), argv + argc);
  if (verb == "rank-entry") return enter_rank(rest);
  for (const WorkerVerb& known : kWorkerVerbs) {
    if (verb == known.name) return run_worker_verb(known, rest);
  }
  if (verb == "help") {
    Arguments help = {"szlaunch"};
    if (!rest.empty()) help.push_back(rest[0]);
    help.push_back("--help");
    help[0] = own_path();
    return exec(help);
  }
  const bool external = !verb.empty() && verb[0] != '-' && verb != "run" && verb != "doctor";
  return external ? run_external(verb, rest, verbs()) : parse_and_run(argc, argv);
}
