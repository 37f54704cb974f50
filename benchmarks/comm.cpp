// All-reduce of fp32 by size: ours, or Open MPI's own in the same place.
//
//   mpirun -n 2 bench_comm ours|mpi
//
// A JSON line a size, by rank 0: GB/s counts each rank's buffer once (algorithm bandwidth).
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "benchmarks/measure.h"
#include "comm/communicator.h"

namespace sz::bench {
namespace {

constexpr size_t kSizes[] = {1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
constexpr double kLapSeconds = 0.05;
constexpr int kLaps = 9;

using Sum = std::function<void(float*, size_t)>;

// Seconds a call, by lap; all ranks make the same number of calls.
std::vector<double> time_of(const Sum& sum, std::vector<float>& data, int calls) {
  std::vector<double> laps;
  for (int lap = 0; lap < kLaps; ++lap) {
    const double begun = seconds();
    for (int i = 0; i < calls; ++i) sum(data.data(), data.size());
    laps.push_back((seconds() - begun) / calls);
  }
  return laps;
}

void run(const std::string& system, int rank, int ranks, const Sum& sum) {
  for (const size_t bytes : kSizes) {
    std::vector<float> data(bytes / sizeof(float), 1.0f);
    sum(data.data(), data.size());  // warm-up
    if (data[0] != float(ranks) || data.back() != float(ranks)) throw std::runtime_error("the sum is wrong");
    std::memset(data.data(), 0, bytes);
    // The same guess on all ranks: sizes at about 1 GB/s, and 20 us at least.
    const int calls = std::max(3, int(kLapSeconds / (20e-6 + double(bytes) / 1e9)));
    const double median = quantile(time_of(sum, data, calls), 0.5);
    if (rank != 0) continue;
    const nlohmann::ordered_json line = {{"benchmark", "comm"}, {"system", system}, {"ranks", ranks}, {"bytes", bytes},
                                         {"us_median", 1e6 * median}, {"gb_per_s", double(bytes) / median / 1e9}};
    std::cout << line.dump() << std::endl;
  }
}

int run_ours() {
  const auto comm = make_mpi_communicator();
  run("ours", comm->rank(), comm->size(), [&](float* data, size_t count) {
    comm->all_reduce(Channel::kReduce, data, count, DType::kF32)->wait();
  });
  return 0;
}

int run_mpi() {
  MPI_Init(nullptr, nullptr);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run("Open MPI", rank, ranks, [](float* data, size_t count) {
    MPI_Allreduce(MPI_IN_PLACE, data, int(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  });
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace sz::bench

int main(int argc, char** argv) {
  const std::string mode = argc == 2 ? argv[1] : "";
  if (mode != "ours" && mode != "mpi") {
    std::fprintf(stderr, "mpirun -n RANKS bench_comm ours|mpi\n");
    return 2;
  }
  try {
    return mode == "ours" ? sz::bench::run_ours() : sz::bench::run_mpi();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_comm: %s\n", e.what());
    return 1;
  }
}
