#include "plugin_host/rank_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/error.h"

namespace sz {
namespace {

TEST(RankCheck, EqualRanksPass) {
  run_thread_ranks(3, [](Communicator& comm) { compare_across_ranks(comm, 7, {{"a", "b"}}); });
}

TEST(RankCheck, NamesRankPluginAndKeyOnEveryRank) {
  std::atomic<int> right = 0;
  run_thread_ranks(3, [&](Communicator& comm) {
    Fingerprint mine = {{"plugins.amp_o2.level", "O2"}, {"train.steps", "20"}};
    if (comm.rank() == 2) mine = {{"plugins.amp_o2.level", "O1"}, {"train.steps", "20"}, {"train.x", ""}};
    try {
      compare_across_ranks(comm, comm.rank() == 2 ? 8 : 7, mine);
    } catch (const Error& error) {
      const std::string what = error.what();
      const bool names = what.find("rank 2: plugins.amp_o2.level is 'O1', on rank 0 'O2'") != std::string::npos;
      const bool absent = what.find("rank 2: train.x is '', on rank 0 (absent)") != std::string::npos;
      const bool quiet = what.find("train.steps") == std::string::npos && what.find("rank 1:") == std::string::npos;
      if (names && absent && quiet && error.exit() == Exit::kPlugin) ++right;
    }
  });
  EXPECT_EQ(right, 3);
}

TEST(RankCheck, SaysWhatItIsThatDiffers) {
  std::atomic<int> right = 0;
  run_thread_ranks(2, [&](Communicator& comm) {
    try {
      compare_across_ranks(comm, uint64_t(comm.rank()), {{"documents", std::to_string(comm.rank())}},
                           {Exit::kData, "the ranks hold different data"});
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "the ranks hold different data\n  rank 1: documents is '1', on rank 0 '0'");
      if (error.exit() == Exit::kData) ++right;
    }
  });
  EXPECT_EQ(right, 2);
}

TEST(RankCheck, OneRankPasses) {
  const auto comm = make_single_communicator();
  EXPECT_NO_THROW(compare_across_ranks(*comm, 1, {}));
}

}  // namespace
}  // namespace sz
