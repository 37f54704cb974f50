#include "app/environment.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/cpu.h"
#include "base/files.h"
#include "base/log.h"

namespace sz {
namespace {

int number_from(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text && *text ? std::atoi(text) : otherwise;
}

int ranks_on_host(const LaunchInfo& launch) {
  return std::max(1, number_from("OMPI_COMM_WORLD_LOCAL_SIZE", launch.ranks));
}

}  // namespace

LaunchInfo launch_info() {
  LaunchInfo info;
  info.ranks = number_from("OMPI_COMM_WORLD_SIZE", 0);
  info.under_mpi = info.ranks > 0;
  info.ranks = std::max(info.ranks, 1);
  info.rank = number_from("OMPI_COMM_WORLD_RANK", 0);
  return info;
}

int threads_of_rank(int asked, const LaunchInfo& launch) {
  if (asked > 0) return asked;
  if (const int given = number_from("OMP_NUM_THREADS", 0); given > 0) return given;
  return std::max(1, cpu().cores / ranks_on_host(launch));
}

int threads_of_host(int asked, const LaunchInfo& launch) {
  return threads_of_rank(asked, launch) * ranks_on_host(launch);
}

void report_exit(int rank, int code, const std::string& message) {
  const char* const folder = std::getenv("SZ_STATUS_DIR");
  static std::atomic<bool> told{false};
  if (!folder || told) return;
  try {
    write_file_atomically(std::string(folder) + "/rank-" + std::to_string(rank),
                          "exit=" + std::to_string(code) + "\n" + message + "\n");
    if (message.empty()) return;
    told = true;
    log::set_stderr_level(log::Level::kOff);
  } catch (const std::exception& e) {
    log::warn(std::string("the launcher can't be told how this rank ended: ") + e.what());
  }
}

}  // namespace sz
