// The two kernels that mixed precision stands on beside the same in LibTorch's operators: the optimizer's pass over 4M
// parameters (unscales, clips, updates, writes the fp16 mirror), and the fp16 products of a linear layer, 2048 to 512,
// over 512 rows.
//
//   bench_amp_kernels [LAPS [ROUTE]]      ROUTE: of fp32 products (ops/matrix_route.h); default: LibTorch's as shipped
//
// A JSON line a case on standard output: medians of laps, in which the cases take turns, and their ratio to ours. One
// thread, and its own CPU time: other programs on the machine then have little say.
#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/addcdiv.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/full.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/cpu_time.h"
#include "benchmarks/measure.h"
#include "ops/cpu.h"
#include "ops/dtypes.h"
#include "ops/half_matmul.h"
#include "ops/matrix_route.h"
#include "ops/threads.h"
#include "optim/adamw.h"

namespace sz::bench {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kParameters = int64_t(4) << 20;
constexpr int64_t kRows = 512, kInner = 2048, kColumns = 512;
constexpr double kFlops = 2.0 * kRows * kInner * kColumns;
constexpr double kSlow = 0.3;  // seconds: what takes longer has one lap

struct Case {
  std::string name;
  std::function<void()> run;
  ordered_json more = {};  // what its line says besides
  std::vector<double> laps = {};
};

double lap_of(const Case& timed) {
  const double begun = thread_cpu_seconds();
  timed.run();
  return thread_cpu_seconds() - begun;
}

// In turns; the first is ours, to which the others' ratios are. rate: what a time makes, to be printed besides.
void measure(const std::string& what, std::vector<Case> cases, int laps,
             const std::function<ordered_json(double)>& rate) {
  for (Case& timed : cases) lap_of(timed);  // warm-up
  for (int lap = 0; lap < laps; ++lap) {
    for (Case& timed : cases) {
      if (timed.laps.empty() || timed.laps[0] < kSlow) timed.laps.push_back(lap_of(timed));
    }
  }
  const double ours = quantile(cases[0].laps, 0.5);
  for (const Case& timed : cases) {
    const double median = quantile(timed.laps, 0.5);
    ordered_json line = {{"benchmark", "amp_kernels"}, {"what", what}, {"case", timed.name},
                         {"cpu_ms_median", 1e3 * median}, {"cpu_ms_min", 1e3 * quantile(timed.laps, 0)},
                         {"laps", timed.laps.size()}, {"ours_times", median / ours}};
    line.update(rate(median));
    if (!timed.more.is_null()) line.update(timed.more);
    std::cout << line.dump() << std::endl;
  }
}

// --- the optimizer's pass ------------------------------------------------------------------------------------------

constexpr AdamWParams kAdamW = {0.9, 0.95, 1e-8, 0.1};
constexpr StepScalars kStep = {7, 1e-4, 0.25 / 4096};

struct Parameters {
  at::Tensor gradient, master, m, v, mirror, steps;
  explicit Parameters(at::ScalarType gradient_type)
      : gradient((at::randn({kParameters}) * 40).to(gradient_type)), master(at::randn({kParameters})),
        m(at::zeros({kParameters})), v(at::zeros({kParameters})), mirror(master.to(at::kHalf)),
        steps(at::full({}, double(kStep.step), at::kFloat)) {}
};

void fused(Optimizer& adamw, Parameters& p) {
  UpdateUnit unit;
  unit.name = "all";
  unit.numel = kParameters;
  unit.master = p.master.mutable_data_ptr<float>();
  unit.gradient = p.gradient.const_data_ptr();
  unit.gradient_dtype = kernel_dtype(p.gradient, "the benchmark");
  unit.state = {p.m.mutable_data_ptr<float>(), p.v.mutable_data_ptr<float>()};
  unit.mirror = p.mirror.mutable_data_ptr();
  unit.mirror_dtype = DType::kF16;
  unit.decay = true;
  adamw.update(unit, kStep);
}

void fused_by_torch(Parameters& p) {
  const at::Tensor gradient = p.gradient.to(at::kFloat) * kStep.multiplier;
  at::_fused_adamw_({p.master}, {gradient}, {p.m}, {p.v}, {}, {p.steps}, kStep.lr, kAdamW.beta1, kAdamW.beta2,
                    kAdamW.weight_decay, kAdamW.eps, /*amsgrad=*/false, /*maximize=*/false);
  p.mirror.copy_(p.master);
}

void one_by_one(Parameters& p) {
  const at::Tensor gradient = p.gradient.to(at::kFloat) * kStep.multiplier;
  p.m.lerp_(gradient, 1 - kAdamW.beta1);
  p.v.mul_(kAdamW.beta2).addcmul_(gradient, gradient, 1 - kAdamW.beta2);
  p.master.mul_(1 - kStep.lr * kAdamW.weight_decay);
  const double t = double(kStep.step);
  at::Tensor below = p.v.sqrt();
  below.div_(std::sqrt(1 - std::pow(kAdamW.beta2, t))).add_(kAdamW.eps);
  p.master.addcdiv_(p.m, below, -kStep.lr / (1 - std::pow(kAdamW.beta1, t)));
  p.mirror.copy_(p.master);
}

void measure_updates(int laps) {
  const std::unique_ptr<Optimizer> adamw = make_adamw(kAdamW);
  for (const at::ScalarType type : {at::kFloat, at::kHalf}) {
    Parameters p(type);
    const std::string what = std::string("AdamW, ") + (type == at::kHalf ? "fp16" : "fp32") + " gradient, fp16 mirror";
    measure(what,
            {{"ours, one pass", [&] { fused(*adamw, p); }, {{"isa", name_of(current_isa())}}},
             {"LibTorch, its fused AdamW", [&] { fused_by_torch(p); }},
             {"LibTorch, op by op", [&] { one_by_one(p); }}},
            laps, [](double s) -> ordered_json { return {{"ns_a_parameter", 1e9 * s / double(kParameters)}}; });
  }
}

// --- the fp16 product ----------------------------------------------------------------------------------------------

// A linear layer's three products, 2^30 multiplications and additions each.
struct Product {
  std::string name;
  at::Tensor a, b;
  bool transpose_a, transpose_b;

  std::function<void()> by_torch(at::ScalarType type) const {
    const at::Tensor left = a.to(type), right = b.to(type);
    return [left = transpose_a ? left.t() : left, right = transpose_b ? right.t() : right] {
      const at::Tensor out = at::matmul(left, right);
    };
  }
  std::function<void()> by_us() const {
    return [left = a.to(at::kHalf), right = b.to(at::kHalf), ta = transpose_a, tb = transpose_b] {
      const at::Tensor out = half_matmul(left, ta, right, tb);
    };
  }
};

void measure_products(int laps) {
  const at::Tensor x = at::randn({kRows, kInner}), weight = at::randn({kColumns, kInner});
  const at::Tensor gradient = at::randn({kRows, kColumns});
  const std::vector<Product> products = {{"x weight^T, 512x2048 by 2048x512", x, weight, false, true},
                                         {"gradient weight, 512x512 by 512x2048", gradient, weight, false, false},
                                         {"gradient^T x, 512x512 by 512x2048", gradient, x, true, false}};
  const char* const route = half_route() == HalfRoute::kPacked ? "packed" : "widened";
  for (const Product& product : products) {
    measure(product.name,
            {{"ours, fp16", product.by_us(), {{"route", route}}},
             {"LibTorch, fp32", product.by_torch(at::kFloat), {{"route", current_matrix_route()}}},
             {"LibTorch, bf16", product.by_torch(at::kBFloat16)},
             {"LibTorch, fp16", product.by_torch(at::kHalf)}},
            laps, [](double s) -> ordered_json { return {{"gflops", 1e-9 * kFlops / s}}; });
  }
}

}  // namespace
}  // namespace sz::bench

int main(int argc, char** argv) {
  try {
    const int laps = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
    sz::set_intra_op_threads(1);
    if (argc > 2) sz::apply_matrix_route(argv[2]);
    sz::bench::measure_updates(laps);
    sz::bench::measure_products(laps);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_amp_kernels: " << e.what() << "\n";
    return 1;
  }
}
