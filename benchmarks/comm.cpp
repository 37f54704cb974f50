// All-reduce, all-gather and reduce-scatter of fp32 by size: ours, or Open MPI's own in the same place.
//
//   mpirun -n 2 bench_comm ours|mpi
//
// A JSON line an operation and size, by rank 0. Bytes are of the whole, which a rank holds before or after: all ranks'
// parts. GB/s counts it once (algorithm bandwidth).
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <iostream>
#include <nlohmann/json.hpp>

#include "benchmarks/measure.h"
#include "comm/communicator.h"

namespace sz::bench {
namespace {

constexpr size_t kSizes[] = {1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
constexpr double kLapSeconds = 0.05;
constexpr int kLaps = 9;

// In place, on one part of `part` floats for each rank.
struct Operation {
  const char* name;
  std::function<void(float* all, size_t part)> call;
  bool sums = true;   // else the ranks' own parts are put together
  bool whole = true;  // else the result is one part,
  size_t result = 0;  // which has this place
};

struct System {
  std::string name;
  int rank = 0, ranks = 1;
  std::vector<Operation> operations;
};

// Throws where what comes out of ones is wrong.
void try_out(const System& system, const Operation& operation, std::vector<float>& all) {
  const size_t part = all.size() / size_t(system.ranks);
  std::fill(all.begin(), all.end(), operation.sums ? 1.0f : 0.0f);
  std::fill_n(all.begin() + system.rank * part, part, 1.0f);
  operation.call(all.data(), part);
  const float expected = operation.sums ? float(system.ranks) : 1.0f;
  const auto begin = all.begin() + (operation.whole ? 0 : operation.result * part);
  const auto end = operation.whole ? all.end() : begin + part;
  const auto right = [&](float value) { return value == expected; };
  if (!std::all_of(begin, end, right)) throw std::runtime_error(std::string(operation.name) + " is wrong");
}

// Seconds a call, by lap; all ranks make the same number of calls.
std::vector<double> time_of(const Operation& operation, std::vector<float>& all, size_t part, int calls) {
  std::vector<double> laps;
  for (int lap = 0; lap < kLaps; ++lap) {
    const double begun = seconds();
    for (int i = 0; i < calls; ++i) operation.call(all.data(), part);
    laps.push_back((seconds() - begun) / calls);
  }
  return laps;
}

void measure(const System& system, const Operation& operation, size_t bytes) {
  std::vector<float> all(bytes / sizeof(float));
  try_out(system, operation, all);  // and warm-up
  std::fill(all.begin(), all.end(), 0.0f);
  // The same guess on all ranks: sizes at about 1 GB/s, and 20 us at least.
  const int calls = std::max(3, int(kLapSeconds / (20e-6 + double(bytes) / 1e9)));
  const double median = quantile(time_of(operation, all, all.size() / size_t(system.ranks), calls), 0.5);
  if (system.rank != 0) return;
  const nlohmann::ordered_json line = {{"benchmark", "comm"}, {"system", system.name}, {"operation", operation.name},
                                       {"ranks", system.ranks}, {"bytes", bytes}, {"us_median", 1e6 * median},
                                       {"gb_per_s", double(bytes) / median / 1e9}};
  std::cout << line.dump() << std::endl;
}

void measure(const System& system) {
  for (const Operation& operation : system.operations) {
    for (const size_t bytes : kSizes) measure(system, operation, bytes);
  }
}

int run_ours() {
  const auto comm = make_mpi_communicator();
  const auto rank = size_t(comm->rank()), ranks = size_t(comm->size());
  System system{"ours", comm->rank(), comm->size(), {}};
  system.operations.push_back({"all-reduce", [&](float* all, size_t part) {
    comm->all_reduce(Channel::kReduce, all, ranks * part, DType::kF32)->wait();
  }});
  system.operations.push_back({"all-gather", [&](float* all, size_t part) {
    comm->all_gather(Channel::kGather, all + rank * part, all, part * sizeof(float))->wait();
  }, false});
  system.operations.push_back({"reduce-scatter", [&](float* all, size_t part) {
    comm->reduce_scatter(Channel::kReduce, all, all + rank * part, part, DType::kF32)->wait();
  }, true, false, rank});
  measure(system);
  return 0;
}

int run_mpi() {
  MPI_Init(nullptr, nullptr);
  System system{"Open MPI", 0, 1, {}};
  MPI_Comm_rank(MPI_COMM_WORLD, &system.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &system.ranks);
  system.operations.push_back({"all-reduce", [&](float* all, size_t part) {
    MPI_Allreduce(MPI_IN_PLACE, all, int(part) * system.ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }});
  system.operations.push_back({"all-gather", [](float* all, size_t part) {
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, int(part), MPI_FLOAT, MPI_COMM_WORLD);
  }, false});
  system.operations.push_back({"reduce-scatter", [](float* all, size_t part) {
    MPI_Reduce_scatter_block(MPI_IN_PLACE, all, int(part), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }, true, false, 0});
  measure(system);
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
