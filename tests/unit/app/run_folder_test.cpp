// A run's folder: of one run at a time; what a refused run did to it is taken back.
#include "app/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "unit/base/temporary_folder.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using test::slurp;
using test::spit;
using test::TemporaryFolder;
using test::thrown_by;

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    names.insert(fs::relative(entry.path(), folder).string());
  }
  return names;
}

void earlier_run(const std::string& path) {
  const auto folder = RunFolder::claim(path);
  folder->begin(false);
  folder->keep();
  folder->write("config.toml", "earlier");
}

TEST(RunFolder, AClaimAloneLeavesNothing) {
  const TemporaryFolder root;
  RunFolder::claim(root / "runs/one");
  EXPECT_TRUE(names_in(root.path()).empty());
}

TEST(RunFolder, ARefusedRunLeavesNothing) {
  const TemporaryFolder root;
  {
    const auto folder = RunFolder::claim(root / "deep/runs/one");
    folder->begin(false);
    spit(root / "deep/runs/one/logs/rank-0.log", "refused");
    EXPECT_TRUE(fs::is_directory(root / "deep/runs/one/checkpoints"));
  }
  EXPECT_TRUE(names_in(root.path()).empty());
}

TEST(RunFolder, ARefusedRunLeavesOthersFoldersBesideIt) {
  const TemporaryFolder root;
  {
    const auto folder = RunFolder::claim(root / "runs/one");
    folder->begin(false);
    fs::create_directory(root / "runs/two");
  }
  EXPECT_EQ(names_in(root.path()), (std::set<std::string>{"runs", "runs/two"}));
}

TEST(RunFolder, ARefusedRunPutsTheEarlierOneBack) {
  const TemporaryFolder root;
  earlier_run(root / "one");
  const std::set<std::string> before = names_in(root.path());
  {
    const auto folder = RunFolder::claim(root / "one");
    folder->begin(false);
    EXPECT_EQ(slurp(root / "one.1/config.toml"), "earlier");
    EXPECT_FALSE(fs::exists(root / "one/config.toml"));
  }
  EXPECT_EQ(slurp(root / "one/config.toml"), "earlier");
  EXPECT_EQ(names_in(root.path()), before);
}

TEST(RunFolder, ARefusedRunLeavesWhatOthersHadPutThere) {
  const TemporaryFolder root;
  fs::create_directory(root / "one");
  spit(root / "one/notes.txt", "mine");
  {
    const auto folder = RunFolder::claim(root / "one");
    folder->begin(false);
  }
  EXPECT_EQ(slurp(root / "one/notes.txt"), "mine");
}

TEST(RunFolder, ARunThatContinuesAnotherTakesNothingAway) {
  const TemporaryFolder root;
  earlier_run(root / "one");
  const std::set<std::string> before = names_in(root.path());
  {
    const auto folder = RunFolder::claim(root / "one");
    folder->begin(true);
  }
  EXPECT_EQ(names_in(root.path()), before);
  EXPECT_EQ(slurp(root / "one/config.toml"), "earlier");
}

TEST(RunFolder, AKeptRunMovesTheEarlierOneAside) {
  const TemporaryFolder root;
  for (int run = 0; run < 3; ++run) earlier_run(root / "one");
  for (const char* name : {"one", "one.1", "one.2"}) EXPECT_EQ(slurp(root / name + "/config.toml"), "earlier") << name;
}

TEST(RunFolder, TwoRunsAtOnceAreRefused) {
  const TemporaryFolder root;
  const auto first = RunFolder::claim(root / "one");
  const auto second = RunFolder::claim(root / "one");  // nobody has written yet
  first->begin(false);
  EXPECT_EQ(thrown_by([&] { second->begin(false); }).exit, Exit::kUsage);
  EXPECT_EQ(thrown_by([&] { RunFolder::claim(root / "one"); }).exit, Exit::kUsage);
  EXPECT_TRUE(fs::is_directory(root / "one/checkpoints"));
}

TEST(RunFolder, APlaceThatCannotBeWrittenIsRefusedAtOnce) {
  const TemporaryFolder root;
  spit(root / "runs", "a file");
  const auto thrown = thrown_by([&] { RunFolder::claim(root / "runs/one"); });
  EXPECT_EQ(thrown.exit, Exit::kUsage);
  EXPECT_NE(thrown.message.find("runs/one: Not a directory"), std::string::npos) << thrown.message;
}

}  // namespace
}  // namespace sz
