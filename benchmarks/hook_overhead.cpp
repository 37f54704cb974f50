// What the hook machinery costs: a hook that nobody watches, a call of one of the runtime's own observers, a call into a
// plugin's C table, and the share of those in the smallest benchmark's step (B). JSON lines on standard output.
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "benchmarks/measure.h"
#include "comm/communicator.h"
#include "plugin_host/host.h"
#include "train/hooks.h"

namespace sz::bench {
namespace {

constexpr int kLaps = 15;
constexpr int64_t kCalls = 2'000'000;

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

int run() {
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

  // A step of B without accumulation: 23 points, and each of 10 segments passed forward and backward with the loss.
  const double fires = 23 + 2 * 10 + 1;
  constexpr double kStepMs = 65;  // of the fastest peer on B
  const double share = 100 * fires * quantile(called, 0.5) / (kStepMs * 1e6);
  const nlohmann::ordered_json line = {{"benchmark", "hook_overhead"}, {"case", "all hooks of a step of B, watched"},
                                       {"percent_of_step", share}, {"goal_percent", 0.1}};
  std::cout << line.dump() << std::endl;
  return 0;
}

}  // namespace
}  // namespace sz::bench

int main() {
  sz::log::set_stderr_level(sz::log::Level::kWarn);
  try {
    return sz::bench::run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_hook_overhead: %s\n", e.what());
    return 1;
  }
}
