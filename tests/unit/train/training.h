// Whole runs of a tiny model on thread ranks, and what is left of them to be compared.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/log.h"
#include "model/services.h"
#include "ops/threads.h"
#include "optim/adamw.h"
#include "train/default_precision.h"
#include "train/replicated_residency.h"
#include "train/shuffle_sampler.h"
#include "train/trainer.h"
#include "unit/base/temporary_folder.h"
#include "unit/train/memory_source.h"

namespace sz::test {

// Everything that one rank's trainer is made of. A test may add to it or replace parts before the run.
struct RankParts {
  Communicator* comm = nullptr;
  std::shared_ptr<const Source> source;
  ModelDeclaration model;
  std::unique_ptr<Residency> residency;
  std::unique_ptr<Sampler> sampler;
  std::unique_ptr<Precision> precision;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<Schedule> schedule;
  HookTable hooks;
  RunServices services;
  std::vector<Voter*> voters;
  std::vector<Stateful*> states;
  std::vector<std::shared_ptr<void>> owned;  // by the test, alive as long as the run

  int rank() const { return comm->rank(); }
  template <class T, class... Arguments>
  T* own(Arguments&&... arguments) {
    auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    owned.push_back(made);
    return made.get();
  }
};

struct RunSpec {
  int ranks = 1;
  TrainOptions options;
  ModelOptions model;
  std::shared_ptr<const Source> source = std::make_shared<MemorySource>();
  ScheduleParams schedule;
  DefaultPrecisionOptions precision;
  ReplicatedOptions residency;
  std::string folder;  // of metrics.jsonl, decisions.jsonl and checkpoints/; empty: one that is gone afterwards
  std::string resume;  // a checkpoint's folder
  std::function<void(RankParts&)> prepare;            // before the trainer is made
  std::function<void(RankParts&, Trainer&)> finish;   // after run()

  RunSpec() {
    options.steps = 20;
    options.micro_batch = 2;
    options.seed = 11;
    options.progress = false;
    model.layers = 2;
    model.width = 32;
    model.heads = 2;
    model.context = 24;
    model.vocabulary = 97;
    model.dropout = 0.1;
    schedule.lr = 1e-3;
  }
};

using Arrays = std::map<std::string, std::vector<float>>;  // "PARAMETER/STATE" -> all elements

struct RunResult {
  Arrays arrays;                 // as exported, put together from all ranks' pieces
  std::vector<Arrays> replicas;  // by rank: parameters as segments see them
  std::vector<nlohmann::json> metrics, decisions;
  RunOutcome outcome;
};

inline std::vector<nlohmann::json> json_lines(const std::string& path) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(slurp(path));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

inline void export_into(Residency& residency, Arrays& arrays) {
  residency.export_pieces([&](const ExportPiece& piece) {
    int64_t numel = 1;
    for (const int64_t extent : piece.shape) numel *= extent;
    std::vector<float>& all = arrays[piece.parameter + "/" + piece.state];
    all.resize(size_t(numel));
    std::copy(piece.data, piece.data + (piece.end - piece.begin), all.begin() + piece.begin);
  });
}

inline Arrays replica_of(Residency& residency, const ModelDeclaration& model) {
  Arrays arrays;
  for (int s = 0; s < int(model.segments.size()); ++s) {
    const TensorList parameters = residency.acquire(s, Mode::kEvaluate);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor flat = parameters[i].detach().to(at::kFloat).contiguous();
      const float* const data = flat.const_data_ptr<float>();
      arrays[model.parameters[size_t(model.segments[size_t(s)].parameters[i])].name] = {data, data + flat.numel()};
    }
    residency.release(s, Mode::kEvaluate);
  }
  return arrays;
}

// One rank's parts as the application would make them.
inline void make_parts(const RunSpec& spec, Communicator& comm, RankParts& parts) {
  parts.comm = &comm;
  parts.source = spec.source;
  parts.model = make_gpt2()->declare(spec.model, make_cross_entropy());
  parts.residency = make_replicated_residency(spec.residency);
  parts.sampler = make_shuffle_sampler();
  parts.precision = make_default_precision(spec.precision);
  AdamWParams adamw;
  adamw.eps = 1e-4;
  parts.optimizer = make_adamw(adamw);
  parts.services.groupings.push_back(language_grouping(spec.source, Split::kValidation));
}

inline TrainParts lend(RankParts& parts, DecisionLog& decisions, MetricsLog* metrics) {
  TrainParts lent;
  lent.comm = parts.comm;
  lent.source = parts.source;
  lent.model = &parts.model;
  lent.residency = parts.residency.get();
  lent.sampler = parts.sampler.get();
  lent.precision = parts.precision.get();
  lent.optimizer = parts.optimizer.get();
  lent.hooks = &parts.hooks;
  lent.services = &parts.services;
  lent.voters = parts.voters;
  lent.states = parts.states;
  if (Stateful* state = parts.precision->stateful()) lent.states.push_back(state);
  lent.decisions = &decisions;
  lent.metrics = metrics;
  return lent;
}

// What one rank does: build, run, and hand over what is left.
inline void run_rank(const RunSpec& spec, const std::string& folder, Communicator& comm, RunResult& result,
                     std::mutex& mutex) {
  set_intra_op_threads(1);
  RankParts parts;
  make_parts(spec, comm, parts);
  if (spec.prepare) spec.prepare(parts);
  std::optional<CheckpointReader> resume;
  if (!spec.resume.empty()) resume = CheckpointReader::open(spec.resume);
  const int64_t keep = resume ? resume->attempt() : -1;
  const bool first = comm.rank() == 0;
  DecisionLog decisions(first ? folder + "/decisions.jsonl" : "", Language::kEnglish, keep);
  std::unique_ptr<MetricsLog> metrics;
  if (first) metrics = std::make_unique<MetricsLog>(folder + "/metrics.jsonl", keep);
  Trainer trainer(spec.options, lend(parts, decisions, metrics.get()));
  ScheduleParams schedule = spec.schedule;
  schedule.total_steps = trainer.total_steps();
  schedule.steps_per_epoch = trainer.plans_per_epoch();
  parts.schedule = make_schedule(schedule);
  trainer.set_schedule(parts.schedule.get());
  const RunOutcome outcome = trainer.run(resume ? &*resume : nullptr);
  if (spec.finish) spec.finish(parts, trainer);
  Arrays replica = replica_of(*parts.residency, parts.model);
  const std::lock_guard lock(mutex);
  export_into(*parts.residency, result.arrays);
  result.replicas[size_t(comm.rank())] = std::move(replica);
  if (first) result.outcome = outcome;
}

// Errors: what the first failing rank threw.
inline RunResult train(RunSpec spec) {
  log::set_stderr_level(log::Level::kError);
  const TemporaryFolder temporary;
  const std::string folder = spec.folder.empty() ? temporary.path() : spec.folder;
  if (spec.options.checkpoint_every > 0) spec.options.checkpoints = folder + "/checkpoints";
  RunResult result;
  result.replicas.resize(size_t(spec.ranks));
  std::mutex mutex;
  CommOptions comm;
  comm.timeout_s = 60;
  run_thread_ranks(spec.ranks, [&](Communicator& own) { run_rank(spec, folder, own, result, mutex); }, comm);
  result.metrics = json_lines(folder + "/metrics.jsonl");
  result.decisions = json_lines(folder + "/decisions.jsonl");
  return result;
}

inline double norm(const Arrays& arrays) {
  double sum = 0;
  for (const auto& [name, values] : arrays) {
    for (const float v : values) sum += double(v) * v;
  }
  return std::sqrt(sum);
}

// Relative to the norm of all of a's parameters (masters only).
inline double relative_difference(const Arrays& a, const Arrays& b) {
  double difference = 0, own = 0;
  for (const auto& [name, values] : a) {
    if (name.find("/master") == std::string::npos) continue;
    const std::vector<float>& other = b.at(name);
    for (size_t i = 0; i < values.size(); ++i) {
      difference += std::pow(double(values[i]) - other[i], 2);
      own += double(values[i]) * values[i];
    }
  }
  return std::sqrt(difference / own);
}

// Bit for bit, name by name. (operator== would call -0 and 0 equal, and NaN unequal to itself.)
inline void expect_identical(const Arrays& a, const Arrays& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, values] : a) {
    ASSERT_TRUE(b.count(name)) << name;
    const std::vector<float>& other = b.at(name);
    ASSERT_EQ(values.size(), other.size()) << name;
    EXPECT_EQ(std::memcmp(values.data(), other.data(), values.size() * sizeof(float)), 0) << name;
  }
}

inline void expect_replicas_identical(const RunResult& result) {
  for (const Arrays& replica : result.replicas) expect_identical(result.replicas[0], replica);
}

// Lines of metrics.jsonl without what depends on the clock and the machine.
inline std::vector<nlohmann::json> timeless(std::vector<nlohmann::json> lines) {
  for (nlohmann::json& line : lines) {
    for (const char* key : {"tokens_per_s", "seconds", "cpu_seconds", "memory_bytes"}) line.erase(key);
  }
  return lines;
}

inline std::vector<nlohmann::json> with(const std::vector<nlohmann::json>& lines, const std::string& key) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& line : lines) {
    if (line.contains(key)) found.push_back(line);
  }
  return found;
}

// The decisions named `what`.
inline std::vector<nlohmann::json> decisions_of(const RunResult& result, const std::string& what) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& line : result.decisions) {
    if (line.at("what") == what) found.push_back(line);
  }
  return found;
}

// An observer that is a function.
class Watch final : public Observer {
 public:
  using Function = std::function<void(const HookInfo&)>;
  Watch(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}
  std::string name() const override { return name_; }
  void on(const HookInfo& info) override { function_(info); }

 private:
  std::string name_;
  Function function_;
};

inline void watch(RankParts& parts, std::initializer_list<Hook> hooks, Watch::Function function,
                  const std::string& name = "watch") {
  parts.hooks.observe(std::make_shared<Watch>(name, std::move(function)), hooks);
}

inline constexpr uint64_t kAllHooks = (uint64_t(1) << kHookCount) - 1;

}  // namespace sz::test
