// Tokens a second, peak bytes and waits of the whole loop on 1 or more MPI ranks, replicated or sharded, on the weights
// and batches of the peers.
//
//   mpirun -n N bench_zero3 CONFIG.json IN.safetensors replicated|1|2|3 [KEY=VALUE of plugins.zero3_async_io]...
//
// CONFIG.json and IN.safetensors are written by peers/common.py; the batch is dealt to the ranks. Rank 0 prints a line.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/route_choice.h"
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
  std::string residency;           // "replicated", or a stage
  std::vector<std::string> keys;   // "prefetch_segments=2"
  int64_t number(const char* key) const { return config.at(key).get<int64_t>(); }
};

// The plugin as a run's residency; none where the residency is the runtime's own.
std::string table_of(const Case& c) {
  if (c.residency == "replicated") return "";
  std::string toml = "[plugins.zero3_async_io]\nenabled = true\nstage = " + c.residency + "\n";
  for (const std::string& key : c.keys) toml += key + "\n";
  return toml;
}

// Means of the waits that the plugin published, over the measured steps.
class Waits final : public Observer {
 public:
  Waits(const MetricBoard& board, int64_t warm_up) : board_(board), warm_up_(warm_up) {}
  std::string name() const override { return "waits"; }
  void on(const HookInfo& info) override {
    if (info.attempt <= warm_up_) return;
    ++steps_;
    for (const char* name : kNames) {
      double value = 0;
      if (board_.read(std::string("zero3_async_io.") + name, value)) sums_[name] += value;
    }
  }
  void add_to(nlohmann::ordered_json& line) const {
    for (const auto& [name, sum] : sums_) line[name.substr(0, name.size() - 1) + "ms"] = 1e3 * sum / steps_;
  }

 private:
  static constexpr const char* kNames[] = {"gather_wait_s", "gather_hidden_s", "reduce_wait_s", "reduce_hidden_s"};
  const MetricBoard& board_;
  int64_t warm_up_;
  double steps_ = 0;
  std::map<std::string, double> sums_;
};

nlohmann::ordered_json report(const Case& c, const Watch& watch, Communicator& comm, const Waits& waits) {
  const double median = quantile(watch.step_ms, 0.5);
  double sums[3] = {status_mb("VmHWM"), double(watch.peak_bytes) / (1 << 20), watch.to.own - watch.from.own};
  comm.all_reduce(Channel::kScalar, sums, 3, DType::kF64)->wait();
  nlohmann::ordered_json line = {
      {"benchmark", "zero3"},
      {"system", c.residency == "replicated" ? "ours, replicated" : "ours, stage " + c.residency},
      {"config", c.config.at("name")},
      {"ranks", comm.size()},
      {"tokens_per_s", double(c.number("batch") * c.number("context")) / median * 1e3},
      {"step_ms_median", median},
      {"step_ms_min", quantile(watch.step_ms, 0)},
      {"steps", watch.step_ms.size()},
      {"cpu_ms_per_step", 1e3 * sums[2] / double(watch.step_ms.size())},  // of all ranks
      {"matrix_route", current_matrix_route()},
      {"peak_rss_mb_a_rank", sums[0] / comm.size()},
      {"peak_tensor_mb_a_rank", sums[1] / comm.size()},
      {"loss_first", watch.losses.front()},
      {"loss_last", watch.losses.back()}};
  waits.add_to(line);
  return line;
}

int rank_count() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_SIZE");
  return text ? std::atoi(text) : 1;
}

bool first_rank() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_RANK");
  return !text || std::atoi(text) == 0;
}

// The route is measured in forked children: before MPI and before any thread of OpenMP's.
std::unique_ptr<Communicator> connect(int threads) {
  RouteWish wish;
  if (first_rank()) wish.speeds = measure_matrix_routes(threads);
  auto comm = rank_count() > 1 ? make_mpi_communicator() : make_single_communicator();
  apply_matrix_route(choose_matrix_route(wish, *comm).name);
  set_intra_op_threads(threads);
  return comm;
}

int run(const Case& c, const std::string& input) {
  const auto comm = connect(std::max(1, int(c.number("threads")) / rank_count()));
  const SafetensorsReader file(input);
  Loop loop(*comm, declare_peers_model(c.config), false);
  loop.load(table_of(c), SZ_PLUGINS);
  const auto watch = std::make_shared<Watch>(file, loop.residency(), c.number("warm_up"));
  loop.hooks.observe(watch, {Hook::kModelBuilt, Hook::kStepBegin, Hook::kStepEnd});
  const auto waits = std::make_shared<Waits>(loop.services.metrics, c.number("warm_up"));
  loop.hooks.observe(waits, {Hook::kStepEnd});
  const int64_t steps = c.number("warm_up") + c.number("measured");
  InOrder sampler;
  loop.train(std::make_shared<RowSource>(file, c.number("context"), c.number("vocabulary")), sampler,
             *make_peers_optimizer(), *make_peers_schedule(steps), steps, c.number("batch") / comm->size());
  const nlohmann::ordered_json line = report(c, *watch, *comm, *waits);
  if (comm->rank() == 0) std::cout << line.dump() << std::endl;
  return 0;
}

}  // namespace
}  // namespace sz::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "bench_zero3 CONFIG.json IN.safetensors replicated|1|2|3 [KEY=VALUE]...\n");
    return 2;
  }
  sz::bench::since_start();
  sz::install_allocator();
  sz::log::set_stderr_level(sz::log::Level::kWarn);
  try {
    sz::bench::Case c;
    c.config = nlohmann::json::parse(std::ifstream(argv[1]));
    c.residency = argv[3];
    c.keys.assign(argv + 4, argv + argc);
    return sz::bench::run(c, argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_zero3: %s\n", e.what());
    return 1;
  }
}
