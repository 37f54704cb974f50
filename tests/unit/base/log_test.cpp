#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/temporary_folder.h"

namespace sz {
namespace {

using test::slurp;
using test::TemporaryFolder;
using ::testing::MatchesRegex;

TEST(Log, FileHasEveryLevelAndTheRank) {
  const TemporaryFolder folder;
  log::open(folder / "logs/rank-3.log", 3, log::Level::kError);
  log::debug("one");
  log::warn("two {} 中");
  log::open("", 0, log::Level::kInfo);
  log::info("not in the file");
  EXPECT_THAT(slurp(folder / "logs/rank-3.log"),
              MatchesRegex("[0-9-]+ [0-9:.]+ rank 3 debug one\n[0-9-]+ [0-9:.]+ rank 3 warn(ing)? +two \\{\\} 中\n"));
}

TEST(Log, FileIsAppendedTo) {
  const TemporaryFolder folder;
  test::spit(folder / "l", "before\n");
  log::open(folder / "l", 0, log::Level::kError);
  log::info("after");
  log::open("", 0, log::Level::kInfo);
  EXPECT_THAT(slurp(folder / "l"), MatchesRegex("before\n.*after\n"));
}

TEST(Log, WhatIsSaidBeforeThereIsAFileComesFirstInIt) {
  const TemporaryFolder folder;
  log::set_stderr_level(log::Level::kError);
  log::hold();
  log::info("early");
  log::open(folder / "l", 2, log::Level::kError);
  log::info("late");
  log::open("", 0, log::Level::kInfo);
  EXPECT_THAT(slurp(folder / "l"),
              MatchesRegex("[0-9-]+ [0-9:.]+ rank 2 info  early\n[0-9-]+ [0-9:.]+ rank 2 info  late\n"));
  log::open(folder / "again", 0, log::Level::kError);
  log::open("", 0, log::Level::kInfo);
  EXPECT_EQ(slurp(folder / "again"), "");
}

TEST(Log, RanksOtherThanZeroSayWhoTheyAre) {
  log::open("", 0, log::Level::kInfo);
  ::testing::internal::CaptureStderr();
  log::set_rank(3);
  log::warn("three");
  log::set_rank(0);
  log::warn("none");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("\\[rank 3\\] [0-9:]+ warn(ing)? +three\n[0-9:]+ warn(ing)? +none\n"));
}

TEST(Log, StderrLinesAreShortAndFiltered) {
  log::open("", 0, log::Level::kInfo);
  ::testing::internal::CaptureStderr();
  log::debug("hidden");
  log::info("shown");
  log::set_stderr_level(log::Level::kError);
  log::warn("hidden too");
  log::error("bad");
  log::set_stderr_level(log::Level::kInfo);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("[0-9:]+ info  shown\n[0-9:]+ error bad\n"));
}

TEST(Log, WhatIsNotUtf8IsReplaced) {
  const TemporaryFolder folder;
  log::open(folder / "l", 0, log::Level::kError);
  log::info("春\xe5\xa4 {} \xff");
  log::open("", 0, log::Level::kInfo);
  EXPECT_THAT(slurp(folder / "l"), MatchesRegex(".*春\xef\xbf\xbd\xef\xbf\xbd \\{\\} \xef\xbf\xbd\n"));
}

TEST(Log, AnUnwritablePathIsTheUsersError) {
  const TemporaryFolder folder;
  const auto thrown = test::thrown_by([&] { log::open(folder.path(), 0, log::Level::kInfo); });
  EXPECT_EQ(thrown.exit, Exit::kUsage);
  EXPECT_EQ(thrown.message, "cannot write the log " + folder.path() + ": Is a directory");
}

}  // namespace
}  // namespace sz
