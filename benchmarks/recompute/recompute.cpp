// What activations hold and what a step takes with each policy of selective_recompute.
//
//   bench_recompute PLUGINS LAYERS [fp32|bf16]
//
// PLUGINS: the folder of selective_recompute.so. A JSON line a policy on standard output. One thread, and its own CPU
// time: other programs on the machine then have little say. run.py puts rounds together and runs the peer beside it.
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/cpu_time.h"
#include "base/log.h"
#include "base/rng.h"
#include "benchmarks/equal_rows.h"
#include "benchmarks/loop.h"
#include "benchmarks/measure.h"
#include "comm/communicator.h"
#include "model/services.h"
#include "ops/allocator.h"
#include "ops/matrix_route.h"
#include "ops/threads.h"
#include "optim/adamw.h"
#include "train/shuffle_sampler.h"

namespace sz::bench {
namespace {

// Shared with peers/torch_checkpoint.py through run.py's table alone: both print them.
constexpr int64_t kWidth = 256, kHeads = 4, kContext = 256, kBatch = 2, kVocabulary = 512;
constexpr int kWarmUp = 1, kMeasured = 4, kChoosing = 13;  // attempts; the last before a budget's choice is at work

// Random rows, all of the context's length.
class Rows final : public EqualRows {
 public:
  Rows() : EqualRows(64, kContext, kVocabulary) {}
  void read(Split, int64_t sample, SampleTokens& out) const override {
    RandomStream random(mix(7, uint64_t(sample)));
    const auto fill = [&](std::vector<int64_t>& to) {
      to.resize(kContext);
      for (int64_t& id : to) id = int64_t(random.below(kVocabulary));
    };
    fill(out.ids);
    fill(out.labels);
    out.mask.assign(kContext, 1.0f);
  }
};

// Forward and backward of each attempt: CPU time, and bytes beyond those before forward.
class Watch final : public Observer {
 public:
  explicit Watch(int skip) : skip_(skip) {}
  std::string name() const override { return "watch"; }
  void on(const HookInfo& at) override {
    if (at.mode != Mode::kTrain) return;
    if (at.hook == Hook::kBatchReady) {
      base_ = double(allocator_stats().live_bytes);
      begun_ = thread_cpu_seconds();
    } else if (at.hook == Hook::kLoss) {
      held = double(allocator_stats().live_bytes) - base_;
      reset_peak();
    } else if (at.attempt > skip_) {
      cpu_ms.push_back(1e3 * (thread_cpu_seconds() - begun_));
      peak = double(allocator_stats().peak_bytes) - base_;
    }
  }

  std::vector<double> cpu_ms;
  double held = 0, peak = 0;  // bytes: between forward and backward; the highest during backward

 private:
  int skip_;
  double base_ = 0, begun_ = 0;
};

struct Case {
  std::string plugins, precision = "fp32";
  int64_t layers = 2;
};

// The plugin with these keys; without any it stays away.
std::string table_of(const std::string& keys) {
  return keys.empty() ? "" : "[plugins.selective_recompute]\nenabled = true\n" + keys;
}

ModelDeclaration declare(const Case& c) {
  ModelOptions shape;
  shape.layers = c.layers;
  shape.width = kWidth;
  shape.heads = kHeads;
  shape.context = kContext;
  shape.vocabulary = kVocabulary;
  shape.dropout = 0.1;
  return make_gpt2()->declare(shape, make_cross_entropy());
}

Watch measure(const Case& c, const std::string& keys, int skip) {
  const auto comm = make_single_communicator();
  Loop loop(*comm, declare(c), c.precision == "bf16");
  const auto watch = std::make_shared<Watch>(skip);
  loop.hooks.observe(watch, {Hook::kBatchReady, Hook::kLoss, Hook::kGradientsReduced});
  loop.load(table_of(keys), c.plugins);
  ScheduleParams rate;
  rate.lr = 1e-4;
  rate.total_steps = skip + kMeasured;
  loop.train(std::make_shared<Rows>(), *make_shuffle_sampler(), *make_adamw({}), *make_schedule(rate), rate.total_steps,
             kBatch);
  return *watch;
}

std::string policy(const std::string& name) { return "policy = \"" + name + "\"\n"; }

void report(const Case& c, const std::string& name, const Watch& watch, const Watch& plain) {
  const double ms = quantile(watch.cpu_ms, 0.5);
  const nlohmann::ordered_json line = {{"system", "ours"},
                                       {"policy", name},
                                       {"layers", c.layers},
                                       {"precision", c.precision},
                                       {"held_mb", watch.held / 1e6},
                                       {"backward_peak_mb", watch.peak / 1e6},
                                       {"cpu_ms_median", ms},
                                       {"cpu_ms_min", quantile(watch.cpu_ms, 0)},
                                       {"held_ratio", watch.held / plain.held},
                                       {"time_ratio", ms / quantile(plain.cpu_ms, 0.5)},
                                       {"steps", watch.cpu_ms.size()}};
  std::cout << line.dump() << std::endl;
}

void run(const Case& c) {
  const Watch plain = measure(c, "", kWarmUp);
  report(c, "off", plain, plain);
  const auto one = [&](const std::string& name, const std::string& keys, int skip) {
    report(c, name, measure(c, keys, skip), plain);
  };
  one("after_first_dropout", policy("after_first_dropout"), kWarmUp);
  one("all", policy("all"), kWarmUp);
  one("all, slices 2", policy("all") + "slices = 2\n", kWarmUp);
  one("all, offload", policy("all") + "offload = \"host\"\n", kWarmUp);
  one("every_n 2", policy("every_n"), kWarmUp);
  one("cheap", policy("cheap"), 10);  // it compares with a kept segment of each kind until attempt 10
  for (const double share : {0.8, 0.6, 0.4}) {
    one("budget " + std::to_string(int(100 * share)) + "%",
        policy("budget") + "memory_mb = " + std::to_string(share * plain.held / (1 << 20)) + "\n", kChoosing);
  }
}

}  // namespace
}  // namespace sz::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: bench_recompute PLUGINS LAYERS [fp32|bf16]\n";
    return 2;
  }
  sz::install_allocator();
  sz::log::set_stderr_level(sz::log::Level::kError);
  sz::apply_matrix_route(sz::fastest_matrix_route(sz::measure_matrix_routes(1)));
  sz::set_intra_op_threads(1);
  sz::bench::run({argv[1], argc > 3 ? argv[3] : "fp32", std::atoll(argv[2])});
  return 0;
}
