#include "memory_kills.h"

#include <fstream>

namespace sz::launch {

namespace {

constexpr long long kNone = 1LL << 60;  // v1 writes a number beyond it for no limit, v2 "max"

long long read_limit(const std::string& path) {
  std::ifstream file(path);
  long long bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : kNone;
}

// The line "oom_kill N" of memory.events (v2) or memory.oom_control (v1).
long long count_kills(const std::string& path) {
  std::ifstream file(path);
  std::string name;
  for (long long count = 0; file >> name >> count;) {
    if (name == "oom_kill") return count;
  }
  return 0;
}

}  // namespace

// /proc/self/cgroup has lines "4:memory:/path" (v1) and "0::/path" (v2).
MemoryKills::MemoryKills() : limit_(kNone) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t names = line.find(':'), path_at = line.find(':', names + 1);
    if (path_at == std::string::npos) continue;
    const std::string controllers = line.substr(names + 1, path_at - names - 1);
    const bool v1 = controllers.find("memory") != std::string::npos;
    if (!controllers.empty() && !v1) continue;
    const std::string root = v1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    for (std::string path = line.substr(path_at + 1);; path.erase(path.rfind('/'))) {
      if (path == "/") path.clear();
      add({root + path, v1});
      if (path.empty() || path.rfind('/') == std::string::npos) break;
    }
  }
  before_ = count();
}

void MemoryKills::add(const Group& group) {
  groups_.push_back(group);
  const std::string file = group.folder + (group.v1 ? "/memory.limit_in_bytes" : "/memory.max");
  const long long limit = read_limit(file);
  if (limit >= limit_) return;
  limit_ = limit;
  limit_file_ = file;
}

// v1 counts a kill in the process's own group, v2 in its parents as well.
long long MemoryKills::count() const {
  long long sum = 0;
  for (const Group& group : groups_) {
    sum += count_kills(group.folder + (group.v1 ? "/memory.oom_control" : "/memory.events"));
  }
  return sum;
}

bool MemoryKills::any() const { return !limit_file_.empty() && count() > before_; }

std::string MemoryKills::limit() const { return std::to_string(limit_ >> 20) + " MiB (" + limit_file_ + ")"; }

}  // namespace sz::launch
