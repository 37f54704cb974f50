#include "app/run.h"

#include <chrono>
#include <csignal>
#include <new>
#include <thread>

#include <nlohmann/json.hpp>

#include "app/load_config.h"
#include "app/memory_share.h"
#include "app/parts.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/log.h"
#include "ops/allocator.h"
#include "ops/threads.h"
#include "plugin_host/rank_check.h"
#include "plugin_host/reports.h"
#include "train/default_precision.h"
#include "train/generator.h"
#include "train/replicated_residency.h"
#include "train/shuffle_sampler.h"

namespace sz {
namespace {

log::Level level_of(const std::string& name) {
  if (name == "debug") return log::Level::kDebug;
  if (name == "warn") return log::Level::kWarn;
  return name == "error" ? log::Level::kError : log::Level::kInfo;
}

// A text from rank 0 to everybody.
std::string broadcast_text(Communicator& comm, std::string text) {
  uint64_t size = text.size();
  comm.broadcast(Channel::kData, &size, sizeof size, 0)->wait();
  text.resize(size);
  if (size > 0) comm.broadcast(Channel::kData, text.data(), size, 0)->wait();
  return text;
}

int exit_code_of(const std::exception& e) {
  if (const auto* error = dynamic_cast<const Error*>(&e)) return int(error->exit());
  return int(dynamic_cast<const std::bad_alloc*>(&e) ? Exit::kExhausted : Exit::kInternal);
}

RunPosition position_of(const Trainer& trainer) {
  RunPosition position;
  position.step = trainer.state().step;
  position.attempt = trainer.state().attempt;
  position.epoch = trainer.epoch();
  position.total_steps = trainer.total_steps();
  position.steps_per_epoch = trainer.plans_per_epoch();
  position.global_batch = trainer.global_batch();
  return position;
}

}  // namespace

Run::Run(const RunArguments& arguments) : arguments_(arguments), launch_(launch_info()) {}
Run::~Run() = default;

int Run::execute() {
  configure();
  connect();
  try {
    const int code = stages();
    // Before communication ends, which may end the process.
    report_exit(launch_.rank, code, code == 0 ? "" : "stopped by a signal; state saved");
    return code;
  } catch (const std::exception& e) {
    report_exit(launch_.rank, exit_code_of(e), e.what());
    if (launch_.under_mpi) log::error(e.what());
    log::flush();
    folder_.reset();  // takes back what a refused run has made
    comm_->abort(e.what());
    throw;
  }
}

int Run::stages() {
  host().compare_ranks(*comm_, config());
  find_checkpoint();
  claim_folder();
  open_data();
  choose_route();
  limit_memory();
  begin_folder();
  start_plugins();
  build();
  const RunOutcome outcome = train();
  if (outcome.stop_signal == 0) sample();
  summarise(outcome);
  plugins_->stop();
  return outcome.stop_signal == 0 ? 0 : 128 + outcome.stop_signal;
}

void Run::configure() {
  log::set_rank(launch_.rank);
  log::hold();
  plugins_ = load_config(arguments_);
  log::set_stderr_level(stderr_level());
  const Language language = log_language(config());
  decisions_ = first() ? std::make_unique<DecisionLog>(language) : std::make_unique<DecisionLog>("", language);
  set_memory_limit(config().get_int("launch.memory_limit_mb") << 20);
}

void Run::connect() {
  const int threads = threads_of_rank(int(config().get_int("launch.threads")), launch_);
  if (first()) log::info("threads of a rank: " + std::to_string(threads));
  // In forked children, so before MPI and before any thread of OpenMP's.
  if (first() && !config().has("run.matrix_route")) speeds_ = measure_matrix_routes(threads);
  set_intra_op_threads(threads);
  CommOptions options;
  options.timeout_s = double(config().get_int("launch.timeout_s"));
  comm_ = launch_.under_mpi ? make_mpi_communicator(options) : make_single_communicator();
}

void Run::find_checkpoint() {
  if (arguments_.resume.empty()) return;
  std::string found;
  if (first()) found = find_resume(run_folder(config()) + "/checkpoints", arguments_.resume);
  found = broadcast_text(*comm_, found);
  if (!found.empty()) {
    resume_ = CheckpointReader::open(found);
    if (first()) log::info(resumed_text());
  } else if (first()) {
    log::info("--resume " + arguments_.resume + ": no checkpoint in " + run_folder(config()) +
              " yet; starting a new run");
  }
}

std::string Run::resumed_text() const {
  return "resuming from " + resume_->folder() + ": step " + std::to_string(resume_->step()) + ", saved by " +
         std::to_string(resume_->ranks()) + (resume_->ranks() == 1 ? " rank" : " ranks");
}

void Run::claim_folder() {
  folder_path_ = run_folder(config());
  if (first()) folder_ = RunFolder::claim(folder_path_);
}

log::Level Run::stderr_level() const {
  return first() ? level_of(config().get_string("log.level")) : log::Level::kWarn;
}

// A checkpoint of another run begins a new history here.
bool Run::continues() const { return resume_ && lies_in(resume_->folder(), folder_path_); }

// There for the plugins, which may write to it as soon as they start. An earlier run's journals stay as they are.
void Run::begin_folder() {
  if (first()) folder_->begin(continues());
  comm_->barrier(Channel::kData)->wait();
  log::open(folder_path_ + "/logs/rank-" + std::to_string(launch_.rank) + ".log", launch_.rank, stderr_level());
  comm_->barrier(Channel::kData)->wait();  // from here on the folder may be taken back: nobody makes it again
}

// Nothing refuses the run any more: what comes after its checkpoint is cut off the journals, and comes again.
void Run::begin_history() {
  if (!first()) return;
  const int64_t keep_through = continues() ? resume_->attempt() : -1;
  folder_->keep();
  folder_->write("config.toml", config().to_toml());
  folder_->write("plan.json", host().plan().json());
  metrics_ = std::make_unique<MetricsLog>(folder_path_ + "/metrics.jsonl", keep_through);
  if (config().get_bool("log.tensorboard")) {
    tensorboard_ = std::make_unique<TensorBoardLog>(folder_path_ + "/tb", continues() ? resume_->step() : -1);
  }
  decisions_->open(folder_path_ + "/decisions.jsonl", keep_through);
  trainer_->set_journals(metrics_.get(), tensorboard_.get());
}

void Run::decide(const std::string& part, const std::string& what, const std::string& cause, Scalar to) {
  if (!first()) return;
  Decision decision;
  decision.plugin = part;
  decision.what = what;
  decision.cause = cause;
  decision.to = std::move(to);
  decisions_->write(decision);
}

void Run::choose_route() {
  RouteWish wish;
  if (config().has("run.matrix_route")) {
    wish.pinned = config().get_string("run.matrix_route");
    wish.pinned_by = config().cite("run.matrix_route");
  }
  if (resume_) wish.saved = resume_->meta().value("matrix_route", "");
  wish.speeds = speeds_;
  const RouteChoice choice = choose_matrix_route(wish, *comm_);
  route_ = choice.name;
  apply_matrix_route(route_);
  decide("ops", "matrix_route", choice.cause, route_);
}

// Late enough that what a rank needs besides tensors is mostly there, before the first tensor that counts.
void Run::limit_memory() {
  memory_limit_ = uint64_t(config().get_int("launch.memory_limit_mb")) << 20;
  const MemoryShare share = share_memory(*comm_);
  if (share.bytes == 0) return;
  set_system_limit(share.bytes, share.text());
  if (memory_limit_ == 0 || uint64_t(share.bytes) < memory_limit_) memory_limit_ = uint64_t(share.bytes);
  if (first()) decisions_->write(share.decision());
}

// All ranks come here: one prepares, the others wait on its lock. Rank 0 goes first, so that it is the one that
// shows progress.
void Run::open_data() {
  if (!first()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Prepared prepared = prepare(prepare_options(config(), first()));
  data_folder_ = prepared.folder;
  data_ = Dataset::open(prepared.folder, config().get_int("train.context"));
  check_data();
  if (!first()) return;
  log::info("data: " + std::to_string(data_->count(Split::kTrain)) + " training and " +
            std::to_string(data_->count(Split::kValidation)) + " validation samples, vocabulary " +
            std::to_string(data_->vocabulary()));
}

// All ranks must hold the same samples, and those that a resumed run had: else sample 7 is another text, and documents
// held out for validation come to be trained on.
void Run::check_data() {
  const std::string own = data_->fingerprint();
  compare_across_ranks(*comm_, xxh3_64(own),
                       {{"data set", own},
                        {"documents", std::to_string(data_->documents())},
                        {"training samples", std::to_string(data_->count(Split::kTrain))},
                        {"validation samples", std::to_string(data_->count(Split::kValidation))},
                        {"vocabulary", std::to_string(data_->vocabulary())}},
                       {Exit::kData, "the ranks hold different data; give all hosts the same text (data.paths) and "
                                     "tokenizer (data.tokenizer)"});
  if (!resume_) return;
  const std::string saved = resume_->meta().value("data", own);
  if (saved == own) return;
  throw Error(Exit::kUsage, resume_->folder() + ": was trained on another data set (text, tokenizer, data.seed, " +
                                "data.validation and train.context make one); give the same [data], or start a new "
                                "run");
}

std::vector<double> Run::scores(Split split, const std::string& scorer) {
  if (!scores_) {
    ScoreBookOptions options;
    options.folder = data_folder_;
    options.threads = threads_of_host(int(config().get_int("launch.threads")), launch_);
    options.progress = first();
    scores_ = std::make_unique<ScoreBook>(config(), data_, host().scorers(), options);
  }
  return scores_->scores(split, scorer).values;
}

void Run::start_plugins() {
  RunContext context;
  context.services = &services_;
  context.decisions = decisions_.get();
  context.comm = comm_.get();
  context.name = config().get_string("run.name");
  context.folder = folder_path_;
  context.seed = uint64_t(config().get_int("run.seed"));
  context.memory_limit = memory_limit_;
  context.scores = [this](Split split, const std::string& scorer) { return scores(split, scorer); };
  context.position = [this] { return trainer_ ? position_of(*trainer_) : RunPosition{}; };
  add_builtin_services(plugins_->registry(), config());
  plugins_->start(context, hooks_);
  host().set_source(data_);
}

// A slot's owner is a plugin, or else the runtime's plain default.
void Run::fill_slots() {
  parts_.precision = host().precision();
  if (!parts_.precision) {
    precision_ = make_default_precision({config().get_string("train.precision") == "bf16",
                                         config().get_int("train.max_bad")});
    parts_.precision = precision_.get();
    parts_.states.push_back(precision_->stateful());
  }
  parts_.voters = host().voters();
  parts_.residency = host().residency();
  if (!parts_.residency) {
    residency_ = make_replicated_residency(replicated_options(config()));
    parts_.residency = residency_.get();
  }
  parts_.sampler = host().sampler();
  if (!parts_.sampler) {
    sampler_ = make_shuffle_sampler();
    parts_.sampler = sampler_.get();
  }
  for (Stateful* state : host().states()) parts_.states.push_back(state);
}

void Run::build() {
  const auto service = [&](const char* key) { return std::make_pair(config().get_string(key), config().cite(key)); };
  const auto [type, type_key] = service("model.type");
  const auto [loss, loss_key] = service("train.loss");
  const ServiceRegistry& registry = plugins_->registry();
  model_ = registry.get<Architecture>("sz.architecture/1", type, type_key)
               ->declare(model_options(config(), data_->vocabulary()), registry.get<Loss>("sz.loss/1", loss, loss_key));
  host().set_model(&model_);
  fill_slots();
  const auto [optimizer, optimizer_key] = service("optimizer.type");
  const auto [decay, decay_key] = service("optimizer.schedule.decay_type");
  parts_.optimizer = registry.get<Optimizer>("sz.optimizer/1", optimizer, optimizer_key).get();
  services_.groupings.push_back(language_grouping(data_, Split::kValidation));
  parts_.comm = comm_.get();
  parts_.source = data_;
  parts_.model = &model_;
  parts_.hooks = &hooks_;
  parts_.services = &services_;
  parts_.decisions = decisions_.get();
  TrainOptions options = train_options(config(), folder_path_);
  options.matrix_route = route_;
  options.data = data_->fingerprint();
  options.keep_stable = keep_stable(config(), host().precision() || !parts_.voters.empty());
  trainer_ = std::make_unique<Trainer>(options, parts_);
  schedule_ = (*registry.get<ScheduleFactory>("sz.schedule/1", decay, decay_key))(
      schedule_params(config(), trainer_->total_steps(), trainer_->plans_per_epoch()));
  trainer_->set_schedule(schedule_.get());
}

RunOutcome Run::train() {
  if (first()) report_model();
  return trainer_->run(resume_ ? &*resume_ : nullptr, [this] { begin_history(); });
}

void Run::report_model() const {
  log::info(format("model: %.2f M parameters; %.0f steps, %.0f steps an epoch", double(model_.parameter_count()) / 1e6,
                   double(trainer_->total_steps()), double(trainer_->plans_per_epoch())));
  if (!schedule_->note().empty()) log::warn(schedule_->note());
  if (resume_ && resume_->step() >= trainer_->total_steps()) {
    log::warn(format("nothing is left to train: the checkpoint is at step %.0f of %.0f; raise train.steps or train.epochs",
                     double(resume_->step()), double(trainer_->total_steps())));
  }
}

void Run::sample() {
  const Tokenizer& tokenizer = data_->tokenizer();
  for (const std::string& prompt : config().get_string_list("eval.prompts")) {
    std::vector<int64_t> ids = {tokenizer.bos()};
    for (const int32_t id : tokenizer.encode(prompt)) ids.push_back(id);
    if (int64_t(ids.size()) > model_.context) ids.resize(size_t(model_.context));
    GenerateOptions options;
    options.tokens = config().get_int("eval.sample_tokens");
    options.temperature = config().get_float("eval.temperature");
    options.seed = uint64_t(config().get_int("run.seed"));
    options.end_token = tokenizer.eos();
    options.forbidden = {tokenizer.unk(), tokenizer.pad(), tokenizer.bos()};
    const std::vector<int64_t> fresh = generate(trainer_->runner(), *parts_.residency, model_, ids, options);
    std::vector<int32_t> all(ids.begin() + 1, ids.end());
    all.insert(all.end(), fresh.begin(), fresh.end());
    if (first()) log::info("sample: " + trim_to_utf8(tokenizer.decode(all)));
  }
}

void Run::summarise(const RunOutcome& outcome) {
  if (!first()) return;
  if (outcome.eval.tokens > 0) {
    for (const GroupResult& group : outcome.eval.groups) {
      if (group.grouping != "language") continue;  // a plugin's groups
      const double entropy = data_->unigram_entropy(Split::kValidation, group.group);
      log::info("validation " + group.group +
                format(": loss %.3f nats a token, unigram entropy of the text %.3f", group.mean_loss(), entropy));
    }
  }
  if (const std::string times = hook_time_text(hooks_); !times.empty()) log::info(times);
  if (outcome.stop_signal != 0) log::info("stopped by a signal; state saved, --resume auto goes on");
  log::info("run folder: " + folder_path_);
}

int run_command(const RunArguments& arguments) { return Run(arguments).execute(); }

}  // namespace sz
