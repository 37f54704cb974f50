#include "base/cgroup.h"

#include <cstdlib>
#include <fstream>

namespace sz {
namespace {

// A limit file's text in bytes; 0 for "max", for v1's huge number that means none, and for no file.
int64_t limit_of(const std::string& text) {
  constexpr long long kNone = 1ll << 60;
  const long long bytes = std::atoll(text.c_str());
  return bytes > 0 && bytes < kNone ? bytes : 0;
}

}  // namespace

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Lines are "4:memory:/path" for v1 and "0::/path" for v2.
std::vector<CgroupFolder> cgroup_folders(const std::string& controller, const CgroupPlaces& places) {
  std::vector<CgroupFolder> folders;
  std::ifstream file(places.membership);
  for (std::string line; std::getline(file, line);) {
    const size_t controllers = line.find(':'), path_at = line.find(':', controllers + 1);
    if (path_at == std::string::npos) continue;
    const std::string names = line.substr(controllers + 1, path_at - controllers - 1);
    const bool v1 = ("," + names + ",").find("," + controller + ",") != std::string::npos;
    if (!names.empty() && !v1) continue;
    const std::string root = v1 ? places.mounts + "/" + controller : places.mounts;
    for (std::string path = line.substr(path_at + 1);; path.erase(path.rfind('/'))) {
      if (path == "/") path.clear();
      folders.push_back({root + path, v1});
      if (path.empty() || path.rfind('/') == std::string::npos) break;
    }
  }
  return folders;
}

CgroupMemory cgroup_memory_limit(const CgroupPlaces& places) {
  CgroupMemory tightest;
  for (const CgroupFolder& folder : cgroup_folders("memory", places)) {
    const std::string file = folder.path + (folder.v1 ? "/memory.limit_in_bytes" : "/memory.max");
    const int64_t bytes = limit_of(first_line_of(file));
    if (bytes > 0 && (tightest.bytes == 0 || bytes < tightest.bytes)) tightest = {bytes, file};
  }
  return tightest;
}

}  // namespace sz
