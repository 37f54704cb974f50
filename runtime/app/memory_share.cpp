#include "app/memory_share.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "ops/allocator.h"

namespace sz {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kReserve = 48 * kMiB;  // a rank's: kernels' scratch, threads' stacks, the allocator's own, mpirun
constexpr int64_t kLeast = 8 * kMiB;     // of tensors; no model trains with less

std::vector<uint64_t> from_all(Communicator& comm, uint64_t value) {
  std::vector<uint64_t> values(size_t(comm.size()));
  comm.all_gather(Channel::kData, &value, values.data(), sizeof value)->wait();
  return values;
}

// The same for ranks that share a group: its file, on this host, as this namespace of groups sees it.
uint64_t identity(const CgroupMemory& group) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  std::error_code hidden;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/cgroup", hidden).string();
  return xxh3_64(std::string(host) + "\n" + space + "\n" + group.file);
}

// "NAME 123" lines of a kernel's file, those named summed up and times `unit`; -1 where none is there.
int64_t sum_of_lines(const std::string& path, const std::vector<std::string>& names, int64_t unit) {
  std::ifstream file(path);
  int64_t sum = -1;
  for (std::string line; std::getline(file, line);) {
    const size_t end = line.find_first_of(": \t");
    if (std::find(names.begin(), names.end(), line.substr(0, end)) == names.end()) continue;
    sum = std::max<int64_t>(sum, 0) + std::atoll(line.c_str() + line.find_first_of("0123456789", end)) * unit;
  }
  return sum;
}

// Bytes that the group cannot give back: all but the file cache. Where it does not say, as many as the ranks have.
int64_t bytes_in_use(const CgroupMemory& group, int ranks) {
  const bool v1 = group.file.ends_with("limit_in_bytes");
  const std::vector<std::string> names = v1 ? std::vector<std::string>{"total_rss", "total_shmem"}
                                            : std::vector<std::string>{"anon", "shmem", "kernel"};
  const int64_t told = sum_of_lines(folder_of(group.file) + "/memory.stat", names, 1);
  if (told >= 0) return told;
  return ranks * std::max<int64_t>(0, sum_of_lines("/proc/self/status", {"RssAnon", "RssShmem"}, 1024));
}

int64_t physical_bytes() { return int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE); }

}  // namespace

std::string MemoryShare::text() const {
  return "this rank's share of the control group's limit of " + std::to_string(group.bytes / kMiB) + " MiB for " +
         std::to_string(ranks) + (ranks == 1 ? " rank (" : " ranks (") + group.file + ")";
}

Decision MemoryShare::decision() const {
  const std::string own = std::to_string(bytes / kMiB), all = std::to_string(group.bytes / kMiB);
  Decision decision;
  decision.plugin = "ops";
  decision.what = "memory_limit";
  decision.cause = text();
  decision.to = bytes;
  decision.text_en = "tensors may take " + own + " MiB: " + decision.cause;
  decision.text_zh = "张量最多可占用 " + own + " MiB：控制组的内存上限为 " + all + " MiB，由 " + std::to_string(ranks) +
                     " 个进程分用（" + group.file + "）";
  return decision;
}

MemoryShare share_memory(Communicator& comm, const CgroupPlaces& places) {
  MemoryShare share;
  share.group = cgroup_memory_limit(places);
  const bool limited = share.group.bytes > 0 && share.group.bytes < physical_bytes();
  const uint64_t own = limited ? identity(share.group) : 0;
  const std::vector<uint64_t> groups = from_all(comm, own);
  share.ranks = int(std::count(groups.begin(), groups.end(), own));
  const int64_t used = limited ? bytes_in_use(share.group, share.ranks) : 0;
  const std::vector<uint64_t> uses = from_all(comm, uint64_t(used));  // no rank takes more before all have looked
  if (!limited) return {};
  int64_t most = 0;
  for (size_t r = 0; r < uses.size(); ++r) {
    if (groups[r] == own) most = std::max(most, int64_t(uses[r]));
  }
  share.bytes = (share.group.bytes - most) / share.ranks - kReserve + allocator_stats().reserved_bytes;
  if (share.bytes >= kLeast) return share;
  throw Error(Exit::kExhausted, "out of memory: " + share.text() + " leaves nothing for tensors, " +
                                    std::to_string(most / kMiB) + " MiB are in use before training begins; raise the "
                                    "limit, or start fewer ranks in it");
}

}  // namespace sz
