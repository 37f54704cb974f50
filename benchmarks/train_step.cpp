// Tokens a second of the whole loop (Trainer, data loading, verdict, AdamW) on the weights and batches of its peers.
//
//   bench_train_step CONFIG.json IN.safetensors fp32|bf16|O1-fp16|O1-bf16|O2-fp16|O2-bf16
//
// CONFIG.json and IN.safetensors are written by peers/common.py. A JSON line on standard output.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "benchmarks/amp/plugin_precision.h"
#include "benchmarks/measure.h"
#include "benchmarks/rows.h"
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
  return {{"system", c.precision == "fp32" ? "ours" : "ours, " + c.precision},
          {"config", c.name},
          {"threads", c.threads},
          {"tokens_per_s", tokens / median * 1e3},
          {"step_ms_median", median},
          {"step_ms_min", quantile(watch.step_ms, 0)},
          {"step_ms_iqr", quantile(watch.step_ms, 0.75) - quantile(watch.step_ms, 0.25)},
          {"steps", watch.step_ms.size()},
          {"cpu_ms_per_step", 1e3 * (watch.to.own - watch.from.own) / double(watch.step_ms.size())},
          {"peak_rss_mb", status_mb("VmHWM")},
          {"peak_tensor_mb", double(watch.peak_bytes) / (1 << 20)},
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
  std::optional<PluginPrecision> amp;
  if (c.precision[0] == 'O') {
    amp.emplace(c.precision.substr(0, 2), c.precision.substr(3), *comm, services, hooks, model);
  }
  const auto watch = std::make_shared<Watch>(file, *residency, c.number("warm_up"));
  hooks.observe(watch, {Hook::kModelBuilt, Hook::kStepBegin, Hook::kStepEnd});

  TrainParts parts;
  parts.comm = comm.get();
  parts.source = std::make_shared<RowSource>(file, c.number("context"), c.number("vocabulary"));
  parts.model = &model;
  parts.residency = residency.get();
  parts.sampler = &sampler;
  parts.precision = amp ? amp->precision() : precision.get();
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
    std::fprintf(stderr, "bench_train_step CONFIG.json IN.safetensors fp32|bf16|O1-fp16|O1-bf16|O2-fp16|O2-bf16\n");
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
