// What the hook machinery costs: a hook that nobody watches, a call into a plugin's C table, and the share of both in
// the smallest benchmark's step (B). JSON lines on standard output.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "benchmarks/measure.h"
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

int run() {
  HookInfo info;
  info.hook = Hook::kLoss;
  HookTable none;
  const std::vector<double> masked = nanoseconds_a_call([&] { none.fire(info); });
  print("a hook that nobody watches", masked, 2);

  HookTable one;
  one.observe(std::make_shared<Idle>(), {Hook::kLoss});
  const std::vector<double> called = nanoseconds_a_call([&] { one.fire(info); });
  print("a call of an observer, timed and counted", called, 10);

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

int main() { return sz::bench::run(); }
