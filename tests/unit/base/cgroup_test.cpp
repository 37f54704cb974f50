#include "base/cgroup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "unit/base/temporary_folder.h"

namespace sz::test {
namespace {

// Control groups as files of the test's own.
class Cgroup : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(folder_.path()) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  std::string at(const std::string& path) const { return folder_.path() + "/" + path; }
  CgroupPlaces places() const { return {at("membership"), at("mounts")}; }

  TemporaryFolder folder_;
};

TEST_F(Cgroup, TheTightestLimitOfTheGroupAndItsParents) {
  write("membership", "0::/jobs/train");
  write("mounts/jobs/train/memory.max", "max");
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 0);
  write("mounts/jobs/memory.max", "1000000");
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 1000000);
  EXPECT_EQ(cgroup_memory_limit(places()).file, at("mounts/jobs/memory.max"));
  write("mounts/jobs/train/memory.max", "2000000");
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 1000000);
  write("mounts/jobs/train/memory.max", "500000");
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 500000);
}

TEST_F(Cgroup, VersionOne) {
  write("membership", "9:name=systemd:/\n4:cpu,memory:/jobs\n0::/");
  write("mounts/memory/jobs/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 0);
  write("mounts/memory/jobs/memory.limit_in_bytes", "4194304");
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 4194304);
}

// A container sees its own group as the root of what is mounted, under a path that only the host has.
TEST_F(Cgroup, PathsOfTheHostInAContainer) {
  write("membership", "4:memory:/docker/0123abc");
  write("mounts/memory/memory.limit_in_bytes", "7340032");
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 7340032);
}

TEST_F(Cgroup, NoGroupsAtAll) {
  EXPECT_EQ(cgroup_memory_limit(places()).bytes, 0);
  EXPECT_TRUE(cgroup_folders("memory", places()).empty());
}

TEST(CgroupOfThisProcess, CanBeRead) { EXPECT_GE(cgroup_memory_limit().bytes, 0); }

}  // namespace
}  // namespace sz::test
