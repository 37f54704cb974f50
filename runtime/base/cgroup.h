// What the kernel's control groups (v1 and v2) grant this process. Thread: any; files are read at each call.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sz {

// Where the kernel tells it; tests give files of their own.
struct CgroupPlaces {
  std::string membership = "/proc/self/cgroup";
  std::string mounts = "/sys/fs/cgroup";
};

struct CgroupFolder {
  std::string path;  // may not exist: in a container the upper ones are hidden
  bool v1 = false;
};

// Folders of this process's group and of its parents up to the root, own first, in each hierarchy that can limit
// `controller` ("cpu", "memory").
std::vector<CgroupFolder> cgroup_folders(const std::string& controller, const CgroupPlaces& places = {});

struct CgroupMemory {
  int64_t bytes = 0;  // the tightest limit of the group and its parents; 0: none
  std::string file;   // that says so
};
CgroupMemory cgroup_memory_limit(const CgroupPlaces& places = {});

std::string first_line_of(const std::string& path);  // empty where there is no such file

}  // namespace sz
