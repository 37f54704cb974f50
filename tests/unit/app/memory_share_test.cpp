#include "app/memory_share.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "unit/base/temporary_folder.h"

namespace sz::test {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

// A control group as files of the test's own.
struct FakeGroup {
  FakeGroup(const std::string& limit, const std::string& statistics) {
    std::filesystem::create_directories(folder / "mounts");
    std::ofstream(folder / "membership") << "0::/\n";
    std::ofstream(folder / "mounts/memory.max") << limit << "\n";
    if (!statistics.empty()) std::ofstream(folder / "mounts/memory.stat") << statistics;
  }
  CgroupPlaces places() const { return {folder / "membership", folder / "mounts"}; }

  TemporaryFolder folder;
};

std::vector<MemoryShare> shares(int ranks, const FakeGroup& group) {
  std::vector<MemoryShare> all(static_cast<size_t>(ranks));
  run_thread_ranks(ranks, [&](Communicator& comm) { all[size_t(comm.rank())] = share_memory(comm, group.places()); });
  return all;
}

TEST(MemoryShare, NoLimitIsNoShare) {
  const FakeGroup group("max", "");
  for (const MemoryShare& share : shares(2, group)) EXPECT_EQ(share.bytes, 0);
  const FakeGroup beyond(std::to_string(1ll << 50), "");  // more than the machine has
  EXPECT_EQ(shares(1, beyond)[0].bytes, 0);
}

// The file cache can be given back, the rest of what the group holds cannot.
TEST(MemoryShare, RanksOfAGroupShareWhatIsLeft) {
  const FakeGroup group(std::to_string(1024 * kMebibyte),
                        "anon 104857600\nfile 734003200\nkernel 20971520\nshmem 10485760\nanon_thp 4194304\n");
  const MemoryShare alone = shares(1, group)[0];
  EXPECT_EQ(alone.ranks, 1);
  EXPECT_LT(alone.bytes, (1024 - 130) * kMebibyte);
  EXPECT_GT(alone.bytes, (1024 - 130 - 100) * kMebibyte);
  const std::vector<MemoryShare> two = shares(2, group);
  EXPECT_EQ(two[0].ranks, 2);
  EXPECT_EQ(two[0].bytes, two[1].bytes);
  EXPECT_NEAR(double(two[0].bytes - alone.bytes), -(1024 - 130) / 2.0 * kMebibyte, double(kMebibyte));
  EXPECT_NE(two[1].text().find("1024 MiB for 2 ranks"), std::string::npos) << two[1].text();
  EXPECT_NE(two[1].decision().text_zh.find("由 2 个进程分用"), std::string::npos);
}

TEST(MemoryShare, WithoutStatisticsThisProcessCounts) {
  const FakeGroup group(std::to_string(4096 * kMebibyte), "");
  const MemoryShare share = shares(1, group)[0];
  EXPECT_GT(share.bytes, 0);
  EXPECT_LT(share.bytes, 4096 * kMebibyte);
}

TEST(MemoryShare, NothingLeftIsAnError) {
  const FakeGroup group(std::to_string(256 * kMebibyte), "anon 209715200\n");
  try {
    shares(2, group);
    FAIL() << "a share of nothing";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kExhausted);
    EXPECT_NE(std::string(e.what()).find("limit of 256 MiB for 2 ranks"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("200 MiB are in use"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace sz::test
