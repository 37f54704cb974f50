// `szworker doctor`: the runtime's half of `szlaunch doctor`. A line a finding on standard output, its parts separated
// by tabs: "ok", "note" (a thing that can be done without) or "FAIL"; name; text.
#include <dlfcn.h>
#include <torch/version.h>

#include <cstdio>

#include "app/environment.h"
#include "app/worker.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/format.h"
#include "ops/cpu.h"
#include "ops/matrix_route.h"
#include "plugin_host/search.h"
#include "plugin_host/library.h"

namespace sz {
namespace {

void say(const char* state, const char* name, const std::string& text) {
  std::printf("%s\t%s\t%s\n", state, name, text.c_str());
}

// What launch.threads = 0 shares among the ranks of a machine.
void report_processor() {
  const Cpu& found = cpu();
  say("ok", "processor", std::to_string(found.cores) + " cores with " + std::to_string(found.threads) +
                             " threads for this process (affinity, quota of its control group), " + found.model);
}

void report_libtorch() { say("ok", "LibTorch", TORCH_VERSION); }

void report_simd() {
  const Isa isa = best_isa();
  const std::string text = std::string(name_of(isa)) + " kernels; the CPU has " + instructions_of(cpu());
  if (isa == Isa::kScalar) {
    say("note", "SIMD", text + "; without AVX2 training is slow: use a newer CPU, or let the virtual machine pass it on");
  } else {
    say("ok", "SIMD", text);
  }
}

void report_matrix_routes(const std::vector<RouteSpeed>& speeds, int threads) {
  const std::string fastest = fastest_matrix_route(speeds);
  std::string text, others;
  for (const RouteSpeed& speed : speeds) {
    const std::string found = speed.name + (speed.usable ? format(" %.0f GFLOP/s", speed.gflops)
                                                         : " not usable (" + speed.note + ")");
    if (speed.name == fastest) {
      text = found;
    } else {
      others += (others.empty() ? "; beside it: " : ", ") + found;
    }
  }
  if (text.empty()) {
    say("note", "matrix route", fastest + ", as none could be measured" + others);
  } else {
    say("ok", "matrix route", text + " on " + std::to_string(threads) + " threads" + others);
  }
}

// A library that is opened at run time, or nothing: CPU training needs none of them.
bool can_open(const char* library) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle) ::dlclose(handle);
  return handle != nullptr;
}

void report_cuda() {
  if (!can_open("libcuda.so.1")) {
    say("note", "CUDA", "no driver (libcuda.so.1), and none is missed: launch.device knows only \"cpu\" yet; NVIDIA's "
                        "driver package brings it");
  } else {
    say("ok", "CUDA", "driver found, but not used: launch.device knows only \"cpu\" yet");
  }
  if (can_open("libnccl.so.2")) {
    say("ok", "NCCL", "found, but not used: ranks talk over MPI");
  } else {
    say("note", "NCCL", "not found, and not missed: ranks talk over MPI; Debian with NVIDIA's repository: apt-get install "
                        "libnccl2");
  }
}

void report_plugins() {
  int usable = 0;
  std::string faults;
  for (const FoundPlugin& found : all_plugins(SearchPath::make({}))) {
    try {
      PluginLibrary::open(found.path, "");
      ++usable;
    } catch (const Error& error) {
      faults += "; " + std::string(error.what());
    }
  }
  const std::string text = std::to_string(usable) + " usable (szlaunch plugins list)";
  say(faults.empty() ? "ok" : "note", "plugins", text + faults);
}

}  // namespace

int doctor_command() {
  const int threads = threads_of_rank(0, launch_info());
  const std::vector<RouteSpeed> speeds = measure_matrix_routes(threads);  // forks, so before all else
  report_processor();
  report_libtorch();
  report_simd();
  report_matrix_routes(speeds, threads);
  report_cuda();
  report_plugins();
  return 0;
}

}  // namespace sz
