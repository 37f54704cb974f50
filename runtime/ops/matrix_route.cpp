#include "ops/matrix_route.h"

#include <ATen/Context.h>

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "base/text.h"
#include "ops/cpu.h"
#include "ops/cpu_vendor.h"
#include "ops/matrix_probe.h"

namespace {

// MKL asks this once, at its first call; constant-initialised, since that may come before any constructor.
std::atomic<bool> mkl_takes_fast_path{false};

}  // namespace

// Takes the place of MKL's own function of this name, which answers whether the CPU is Intel's. Undocumented, but
// long in use; when MKL stops asking, "mkl_fast" just measures like "mkl". The linker must export it from the
// executable (an interface option of this library), or LibTorch's own definition stays.
extern "C" __attribute__((visibility("default"))) int mkl_serv_intel_cpu_true() {
  return mkl_takes_fast_path.load() || sz::cpu_is_intel();
}

namespace sz {

namespace {

constexpr double kLargestError = 1e-4;
constexpr double kWorthwhile = 1.1;  // a later route must be that much faster: noise shouldn't choose

std::string default_route() { return at::hasMKL() ? "mkl" : "blas"; }

std::string& current() {
  static std::string name = default_route();
  return name;
}

void judge(RouteSpeed& speed, const ProbeResult& result) {
  if (!result.failure.empty()) {
    speed.note = result.failure;
    return;
  }
  speed.gflops = result.gflops;
  speed.max_error = result.max_error;
  speed.usable = result.max_error <= kLargestError;
  if (!speed.usable) speed.note = "not accurate to fp32";
}

}  // namespace

std::vector<std::string> available_matrix_routes() {
  std::vector<std::string> names{default_route()};
  if (at::hasMKL() && cpu_is_amd() && best_isa() != Isa::kScalar) names.push_back("mkl_fast");
  if (at::globalContext().hasMKLDNN() && !cpu_has_amx()) names.push_back("onednn");
  return names;
}

std::vector<RouteSpeed> measure_matrix_routes(int threads) {
  std::vector<RouteSpeed> speeds;
  for (const std::string& name : available_matrix_routes()) {
    RouteSpeed& speed = speeds.emplace_back();
    speed.name = name;
    judge(speed, probe_in_child([&] { apply_matrix_route(name); }, threads));
  }
  return speeds;
}

std::string fastest_matrix_route(const std::vector<RouteSpeed>& speeds) {
  const RouteSpeed* best = nullptr;
  for (const RouteSpeed& speed : speeds) {
    if (speed.usable && (!best || speed.gflops > kWorthwhile * best->gflops)) best = &speed;
  }
  return best ? best->name : default_route();
}

void apply_matrix_route(const std::string& name) {
  const std::vector<std::string> names = available_matrix_routes();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw Error(Exit::kUsage, "run.matrix_route = \"" + name + "\": this machine has " + joined(names) +
                                  "; choose one, or leave the key out");
  }
  mkl_takes_fast_path.store(name == "mkl_fast");
  at::globalContext().setFloat32MatmulPrecision(name == "onednn" ? "medium" : "highest");
  current() = name;
}

std::string current_matrix_route() { return current(); }

}  // namespace sz
