// What the hook machinery costs: a hook that nobody watches, a call of one of the runtime's own observers, a call into a
// plugin's C table, and the share of those in a step of the smallest benchmark (B of peers/common.py), whose hooks are
// counted and whose time is taken here. JSON lines on standard output.
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "benchmarks/equal_rows.h"
#include "benchmarks/loop.h"
#include "benchmarks/measure.h"
#include "benchmarks/peer_parts.h"
#include "comm/communicator.h"
#include "ops/allocator.h"
#include "ops/matrix_route.h"
#include "ops/threads.h"
#include "plugin_host/host.h"
#include "train/hooks.h"
#include "train/shuffle_sampler.h"

namespace sz::bench {
namespace {

constexpr int kLaps = 15;
constexpr int64_t kCalls = 2'000'000;
constexpr int64_t kContext = 128, kVocabulary = 4096, kBatch = 16;  // of B
constexpr int64_t kWarmUp = 3, kSteps = 13;

// Nanoseconds a call of `body`, the loop's own cost taken off.
template <class Body>
std::vector<double> nanoseconds_a_call(const Body& body) {
  std::vector<double> laps;
  for (int lap = 0; lap < kLaps; ++lap) {
    const double begun = seconds();
    for (int64_t i = 0; i < kCalls; ++i) {
      asm volatile("" ::: "memory");  // the next look at the table is a new one
    }
    const double empty = seconds();
    for (int64_t i = 0; i < kCalls; ++i) {
      body();
      asm volatile("" ::: "memory");
    }
    laps.push_back(1e9 * ((seconds() - empty) - (empty - begun)) / double(kCalls));
  }
  return laps;
}

void print(const std::string& what, const std::vector<double>& laps, double goal) {
  const nlohmann::ordered_json line = {{"benchmark", "hook_overhead"}, {"case", what},
                                       {"ns_median", quantile(laps, 0.5)}, {"ns_min", quantile(laps, 0)},
                                       {"goal_ns", goal}};
  std::cout << line.dump() << std::endl;
}

class Idle final : public Observer {
 public:
  std::string name() const override { return "idle"; }
  void on(const HookInfo&) override {}
};

// The plugin bench_idle, loaded by the real host.
class IdlePlugin {
 public:
  explicit IdlePlugin(HookTable& hooks) : comm_(make_single_communicator()) {
    const ConfigDocument document = ConfigDocument::parse(
        "[plugins]\nsearch = [\"" SZ_PLUGINS "\"]\n[plugins.bench_idle]\nenabled = true\n", "idle.toml");
    host_ = PluginHost::discover(document);
    Schema schema;
    schema.add({"plugins.search", KeyType::kStringList, "[]", "folders"});
    host_.add_schema(schema);
    config_ = Config::resolve(document, schema, host_.faults());
    RunContext context;
    context.config = &config_;
    context.services = &services_;
    context.comm = comm_.get();
    context.name = "benchmark";
    host_.make_plan(config_);
    host_.create();
    host_.start(context);
    host_.attach(hooks, registry_);
  }
  ~IdlePlugin() { host_.stop(); }

 private:
  std::unique_ptr<Communicator> comm_;
  RunServices services_;
  PluginHost host_;
  Config config_;
  ServiceRegistry registry_;
};

std::vector<double> calls_of(HookTable& table) {
  HookInfo info;
  info.hook = Hook::kLoss;
  return nanoseconds_a_call([&] { table.fire(info); });
}

class RandomRows final : public EqualRows {
 public:
  RandomRows() : EqualRows(4 * kBatch, kContext, kVocabulary) {}
  void read(Split, int64_t sample, SampleTokens& out) const override {
    RandomStream random(mix(7, uint64_t(sample)));
    for (std::vector<int64_t>* const to : {&out.ids, &out.labels}) {
      to->resize(size_t(kContext));
      for (int64_t& id : *to) id = int64_t(random.below(kVocabulary));
    }
    out.mask.assign(size_t(kContext), 1.0f);
  }
};

// Counts the hooks from one STEP_BEGIN to STEP_END, and takes the time.
class StepCounter final : public Observer {
 public:
  std::string name() const override { return "step counter"; }
  void on(const HookInfo& info) override {
    if (info.hook == Hook::kStepBegin) {
      begun_ = seconds();
      fires_ = 0;
    }
    ++fires_;
    if (info.hook != Hook::kStepEnd) return;
    fires.push_back(fires_);
    if (int64_t(fires.size()) > kWarmUp) step_ms.push_back(1e3 * (seconds() - begun_));
  }

  std::vector<double> fires, step_ms;

 private:
  double begun_ = 0, fires_ = 0;
};

// A few steps of B in the whole loop.
std::shared_ptr<StepCounter> steps_of_b() {
  const nlohmann::json config = {{"layers", 4}, {"width", 128}, {"heads", 4}, {"context", kContext},
                                 {"vocabulary", kVocabulary}};
  const auto comm = make_single_communicator();
  Loop loop(*comm, declare_peers_model(config), false);
  loop.load("", SZ_PLUGINS);
  const auto counter = std::make_shared<StepCounter>();
  loop.hooks.observe(counter, (uint64_t(1) << kHookCount) - 1);
  const auto sampler = make_shuffle_sampler();
  loop.train(std::make_shared<RandomRows>(), *sampler, *make_peers_optimizer(), *make_peers_schedule(kSteps), kSteps,
             kBatch);
  return counter;
}

void print_share(const StepCounter& steps, double call_ns) {
  const double fires = quantile(steps.fires, 0.5), step_ms = quantile(steps.step_ms, 0.5);
  const nlohmann::ordered_json line = {{"benchmark", "hook_overhead"}, {"case", "all hooks of a step of B, watched"},
                                       {"hooks", fires}, {"step_ms_median", step_ms},
                                       {"percent_of_step", 100 * fires * call_ns / (step_ms * 1e6)},
                                       {"goal_percent", 0.1}};
  std::cout << line.dump() << std::endl;
}

int run() {
  const char* const given = std::getenv("BENCH_THREADS");
  const int threads = given ? std::atoi(given) : 2;
  apply_matrix_route(fastest_matrix_route(measure_matrix_routes(threads)));  // forks, so before all else
  set_intra_op_threads(threads);

  HookTable none;
  print("a hook that nobody watches", calls_of(none), 2);

  HookTable own;
  own.observe(std::make_shared<Idle>(), {Hook::kLoss});
  print("a call of an observer of the runtime's", calls_of(own), 10);

  HookTable foreign;
  const IdlePlugin plugin(foreign);
  SZ_ASSERT(foreign.watched(Hook::kLoss));
  const std::vector<double> called = calls_of(foreign);
  print("a call into a plugin", called, 10);
  print_share(*steps_of_b(), quantile(called, 0.5));
  return 0;
}

}  // namespace
}  // namespace sz::bench

int main() {
  sz::install_allocator();
  sz::log::set_stderr_level(sz::log::Level::kWarn);
  try {
    return sz::bench::run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_hook_overhead: %s\n", e.what());
    return 1;
  }
}
