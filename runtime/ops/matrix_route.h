// Routes of fp32 matrix products, by name; the fastest differs between CPUs.
//
//   "mkl"       MKL as shipped (or, in a LibTorch without MKL, "blas": its own library)
//   "mkl_fast"  MKL told that the CPU is Intel's: on AMD it otherwise takes a slow path. AMD with AVX2 only.
//   "onednn"    oneDNN through float32 matmul precision "medium". Not on CPUs with AMX, where that is bf16 inside.
#pragma once
#include <string>
#include <vector>

namespace sz {

struct RouteSpeed {
  std::string name;
  double gflops = 0;     // 0 when it was not measured
  double max_error = 0;  // against double, relative to the largest element
  bool usable = false;   // measured, and max_error <= 1e-4
  std::string note;      // why it is not usable
};

// The routes this CPU and this LibTorch have, in fixed order. Cheap. Thread: any.
std::vector<std::string> available_matrix_routes();

// Times each available route on a linear layer of 512x384x1536, each in a forked child, within a quarter of a
// second in all. Call early in main, before anything uses MKL or OpenMP threads and before MPI is initialised: a
// child inherits MKL's choice of CPU path, and OpenMP threads don't survive a fork (such a child is given up by a
// time-out and reported as not usable). Thread: main, with no other thread.
std::vector<RouteSpeed> measure_matrix_routes(int threads);

// The fastest usable route's name, earlier ones preferred unless a later is 1.1 times as fast, since routes round
// differently and noise shouldn't choose; "mkl" (or "blas") when none could be measured.
std::string fastest_matrix_route(const std::vector<RouteSpeed>& speeds);

// Takes effect for the process's later products; "mkl_fast" only before its first call into MKL.
// Throws Error(kUsage) for a name that is unknown or not available here. Thread: main.
void apply_matrix_route(const std::string& name);

// The name given last to apply_matrix_route(), else the default one.
std::string current_matrix_route();

}  // namespace sz
