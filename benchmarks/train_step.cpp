// Tokens a second of the whole loop (Trainer, data loading, verdict, AdamW) on the weights and batches of its peers.
//
//   bench_train_step CONFIG.json IN.safetensors fp32|bf16
//
// CONFIG.json and IN.safetensors are written by peers/common.py. A JSON line on standard output.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "benchmarks/measure.h"
#include "checkpoint/safetensors.h"
#include "comm/communicator.h"
#include "model/services.h"
#include "ops/allocator.h"
#include "ops/matrix_route.h"
#include "ops/threads.h"
#include "optim/adamw.h"
#include "train/default_precision.h"
#include "train/replicated_residency.h"
#include "train/trainer.h"

namespace sz::bench {
namespace {

template <class T>
std::vector<T> read_all(const SafetensorsReader& file, const std::string& name) {
  const TensorInfo* const tensor = file.find(name);
  SZ_ASSERT(tensor);
  std::vector<T> values(size_t(tensor->end - tensor->begin) / sizeof(T));
  file.read(*tensor, 0, tensor->end - tensor->begin, values.data());
  return values;
}

// The peers' rows: "ids" and "labels" [batches * batch, context].
class RowSource final : public Source {
 public:
  RowSource(const SafetensorsReader& file, int64_t context, int64_t vocabulary)
      : context_(context), vocabulary_(vocabulary), ids_(read_all<int64_t>(file, "ids")),
        labels_(read_all<int64_t>(file, "labels")) {}

  int64_t count(Split split) const override {
    return split == Split::kTrain ? int64_t(ids_.size()) / context_ : 0;
  }
  SampleInfo info(Split, int64_t sample) const override {
    SampleInfo info;
    info.document = sample;
    info.length = info.label_tokens = context_;
    return info;
  }
  void read(Split, int64_t sample, SampleTokens& out) const override {
    const auto from = [&](const std::vector<int64_t>& all) { return all.begin() + sample * context_; };
    out.ids.assign(from(ids_), from(ids_) + context_);
    out.labels.assign(from(labels_), from(labels_) + context_);
    out.mask.assign(size_t(context_), 1.0f);
  }
  std::string text(Split, int64_t) const override { return ""; }
  const std::vector<std::string>& languages() const override { return languages_; }
  int64_t vocabulary() const override { return vocabulary_; }

 private:
  int64_t context_, vocabulary_;
  std::vector<int64_t> ids_, labels_;
  std::vector<std::string> languages_ = {"none"};
};

// The rows in order, over and over, as the peers take them.
class InOrder final : public Sampler {
 public:
  std::string name() const override { return "in order"; }
  void setup(const SamplerSetup& setup) override { setup_ = setup; }
  std::string initial_state() const override { return "0"; }
  std::pair<Plan, std::string> plan(const std::string& state) const override {
    const int64_t begin = std::stoll(state);
    Plan plan;
    for (int64_t i = begin; i < begin + setup_.global_batch; ++i) {
      PlanItem item;
      item.sample = i % setup_.samples;
      item.position = uint64_t(i);
      plan.push_back(item);
    }
    return {std::move(plan), std::to_string(begin + setup_.global_batch)};
  }

 private:
  SamplerSetup setup_;
};

// Puts the peers' first weights in, and takes the time of each step.
class Watch final : public Observer {
 public:
  Watch(const SafetensorsReader& file, Residency& residency, int64_t warm_up)
      : file_(file), residency_(residency), warm_up_(warm_up) {}
  std::string name() const override { return "watch"; }

  void on(const HookInfo& info) override {
    if (info.hook == Hook::kModelBuilt) return take_weights(*info.model);
    if (info.hook == Hook::kStepBegin) {
      begun_ = seconds();
      return;
    }
    losses.push_back(info.facts->loss);
    if (losses.size() == 1) first_step_at = since_start();
    if (int64_t(losses.size()) > warm_up_) step_ms.push_back(1e3 * (seconds() - begun_));
    if (int64_t(losses.size()) == warm_up_) from = cpu_times();
    to = cpu_times();
  }

  std::vector<double> losses, step_ms;
  double first_step_at = 0;
  CpuTimes from, to;

 private:
  void take_weights(const ModelDeclaration& model) {
    std::map<std::string, std::vector<float>> weights;
    for (const ParameterDeclaration& p : model.parameters) weights[p.name] = read_all<float>(file_, p.name);
    residency_.import_pieces([&](const ExportPiece& piece) {
      if (piece.state != "master") return;
      const std::vector<float>& all = weights.at(piece.parameter);
      std::copy(all.begin() + piece.begin, all.begin() + piece.end, piece.data);
    });
  }

  const SafetensorsReader& file_;
  Residency& residency_;
  int64_t warm_up_;
  double begun_ = 0;
};

struct Case {
  nlohmann::json config;
  std::string name, precision;
  int threads = 2;
  int64_t number(const char* key) const { return config.at(key).get<int64_t>(); }
};

std::string fastest_route(int threads) {
  const std::string route = fastest_matrix_route(measure_matrix_routes(threads));
  apply_matrix_route(route);
  return route;
}

ModelDeclaration declare(const Case& c) {
  ModelOptions options;
  options.layers = c.number("layers");
  options.width = c.number("width");
  options.heads = c.number("heads");
  options.context = c.number("context");
  options.vocabulary = c.number("vocabulary");
  ModelDeclaration model = make_gpt2()->declare(options, make_cross_entropy());
  for (ParameterDeclaration& p : model.parameters) p.decay = true;  // as all peers here
  return model;
}

nlohmann::ordered_json report(const Case& c, const Watch& watch, const std::string& route) {
  const double median = quantile(watch.step_ms, 0.5);
  const double tokens = double(c.number("batch") * c.number("context"));
  return {{"system", c.precision == "bf16" ? "ours, bf16" : "ours"},
          {"config", c.name},
          {"threads", c.threads},
          {"tokens_per_s", tokens / median * 1e3},
          {"step_ms_median", median},
          {"step_ms_min", quantile(watch.step_ms, 0)},
          {"step_ms_iqr", quantile(watch.step_ms, 0.75) - quantile(watch.step_ms, 0.25)},
          {"steps", watch.step_ms.size()},
          {"peak_rss_mb", status_mb("VmHWM")},
          {"startup_s", watch.first_step_at},
          {"loss_first", watch.losses.front()},
          {"loss_last", watch.losses.back()},
          {"other_cpu_pct", other_cpu_percent(watch.from, watch.to)},
          {"matrix_route", route}};
}

int run(const Case& c, const std::string& input) {
  const std::string route = fastest_route(c.threads);
  set_intra_op_threads(c.threads);
  const SafetensorsReader file(input);
  ModelDeclaration model = declare(c);
  const auto comm = make_single_communicator();
  const auto residency = make_replicated_residency({});
  const auto precision = make_default_precision({c.precision == "bf16", 10});
  AdamWParams adamw;
  adamw.beta1 = 0.9;
  adamw.beta2 = 0.95;
  adamw.eps = 1e-8;
  adamw.weight_decay = 0.1;
  const auto optimizer = make_adamw(adamw);
  InOrder sampler;
  HookTable hooks;
  RunServices services;
  DecisionLog decisions("", Language::kEnglish);
  const auto watch = std::make_shared<Watch>(file, *residency, c.number("warm_up"));
  hooks.observe(watch, {Hook::kModelBuilt, Hook::kStepBegin, Hook::kStepEnd});

  TrainParts parts;
  parts.comm = comm.get();
  parts.source = std::make_shared<RowSource>(file, c.number("context"), c.number("vocabulary"));
  parts.model = &model;
  parts.residency = residency.get();
  parts.sampler = &sampler;
  parts.precision = precision.get();
  parts.optimizer = optimizer.get();
  parts.hooks = &hooks;
  parts.services = &services;
  parts.decisions = &decisions;
  TrainOptions options;
  options.steps = c.number("warm_up") + c.number("measured");
  options.micro_batch = c.number("batch");
  options.keep_stable = false;
  options.progress = false;
  Trainer trainer(options, parts);
  ScheduleParams schedule;
  schedule.lr = 6e-4;
  schedule.min_lr = 6e-4;
  schedule.decay_type = "constant";
  schedule.warmup_steps = 0;
  schedule.total_steps = options.steps;
  const auto rate = make_schedule(schedule);
  trainer.set_schedule(rate.get());
  trainer.run(nullptr);
  std::cout << report(c, *watch, route).dump() << std::endl;
  return 0;
}

}  // namespace
}  // namespace sz::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "bench_train_step CONFIG.json IN.safetensors fp32|bf16\n");
    return 2;
  }
  sz::bench::since_start();
  sz::install_allocator();
  sz::log::set_stderr_level(sz::log::Level::kWarn);
  try {
    sz::bench::Case c;
    c.config = nlohmann::json::parse(std::ifstream(argv[1]));
    c.name = c.config.at("name");
    c.precision = argv[3];
    c.threads = int(c.number("threads"));
    return sz::bench::run(c, argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_train_step: %s\n", e.what());
    return 1;
  }
}
