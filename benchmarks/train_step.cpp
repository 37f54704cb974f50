// Tokens a second of the whole loop (Trainer, data loading, verdict, AdamW) on the weights and batches of its peers.
//
//   bench_train_step CONFIG.json IN.safetensors fp32|bf16|O1-fp16|O1-bf16|O2-fp16|O2-bf16
//
// CONFIG.json and IN.safetensors are written by peers/common.py. A JSON line on standard output.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "benchmarks/loop.h"
#include "benchmarks/peer_parts.h"
#include "benchmarks/rows.h"
#include "comm/communicator.h"
#include "ops/matrix_route.h"
#include "ops/threads.h"

namespace sz::bench {
namespace {

struct Case {
  nlohmann::json config;
  std::string name, precision;
  int threads = 2;
  int64_t number(const char* key) const { return config.at(key).get<int64_t>(); }
};

// amp_o2 for "O2-fp16" and the like; no plugin for the runtime's own precisions.
std::string table_of(const Case& c) {
  if (c.precision[0] != 'O') return "";
  return "[plugins.amp_o2]\nenabled = true\nopt_level = \"" + c.precision.substr(0, 2) + "\"\ndtype = \"" +
         c.precision.substr(3) + "\"\n";
}

std::string fastest_route(int threads) {
  const std::string route = fastest_matrix_route(measure_matrix_routes(threads));
  apply_matrix_route(route);
  return route;
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
  const auto comm = make_single_communicator();
  Loop loop(*comm, declare_peers_model(c.config), c.precision == "bf16");
  loop.load(table_of(c), SZ_PLUGINS);
  const auto watch = std::make_shared<Watch>(file, loop.residency(), c.number("warm_up"));
  loop.hooks.observe(watch, {Hook::kModelBuilt, Hook::kStepBegin, Hook::kStepEnd});
  const int64_t steps = c.number("warm_up") + c.number("measured");
  InOrder sampler;
  loop.train(std::make_shared<RowSource>(file, c.number("context"), c.number("vocabulary")), sampler,
             *make_peers_optimizer(), *make_peers_schedule(steps), steps, c.number("batch"));
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
