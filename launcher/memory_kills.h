// Whether the kernel has killed for want of memory in this process's control group (v1 or v2) since this was made.
#pragma once
#include <string>
#include <vector>

namespace sz::launch {

class MemoryKills {
 public:
  MemoryKills();
  bool any() const;           // false as well where no group limits memory
  std::string limit() const;  // the tightest: "512 MiB (FILE)"

 private:
  struct Group {
    std::string folder;
    bool v1 = false;
  };
  void add(const Group& group);
  long long count() const;

  std::vector<Group> groups_;  // of this process, and the parents
  std::string limit_file_;
  long long limit_, before_ = 0;
};

}  // namespace sz::launch
