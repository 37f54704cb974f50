#include "app/score_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "unit/data/fixtures.h"

namespace sz {
namespace {

SplitScores some(size_t count) {
  SplitScores scores;
  for (size_t i = 0; i < count; ++i) {
    scores.values.push_back(0.1 * double(i) - 3);
    scores.routes.push_back(uint8_t(i % 5));
  }
  return scores;
}

TEST(ScoreFile, ReadsWhatWasWritten) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/scores.bin";
  EXPECT_FALSE(read_scores(path, 100));
  write_scores(path, some(100));
  const auto read = read_scores(path, 100);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->values, some(100).values);
  EXPECT_EQ(read->routes, some(100).routes);
  EXPECT_FALSE(read_scores(path, 99));
  write_scores(path, some(0));
  EXPECT_TRUE(read_scores(path, 0));
}

TEST(ScoreFile, ADamagedFileIsNotRead) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/scores.bin";
  write_scores(path, some(20));
  const std::string whole = read_file(path);
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 0x10);
    std::ofstream(path, std::ios::binary) << damaged;
    const auto read = read_scores(path, 20);
    EXPECT_TRUE(!read || at >= 8) << at;  // the header's unused `first` may differ
    if (read) {
      EXPECT_EQ(read->values, some(20).values);
    }
    std::ofstream(path, std::ios::binary) << whole.substr(0, at);
    EXPECT_FALSE(read_scores(path, 20)) << at;
  }
}

// However many bytes of the journal reached the disk, whole records count and nothing else does.
TEST(ScoreJournal, GoesOnFromAnyCut) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/scores.part";
  {
    ScoreJournal journal(path, 10);
    journal.add(6, {6, 7}, {1, 2});
    journal.add(0, {0, 1, 2}, {3, 3, 3});
  }
  const std::string whole = read_file(path);
  const size_t first_record = 32 + 2 * 9, second_record = 32 + 3 * 9;
  ASSERT_EQ(whole.size(), first_record + second_record);
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, cut);
    ScoreJournal journal(path, 10);
    EXPECT_EQ(journal.done(), cut < first_record ? 0 : cut < whole.size() ? 2 : 5) << cut;
    journal.add(9, {9}, {4});
    EXPECT_EQ(ScoreJournal(path, 10).done(), journal.done());
    EXPECT_EQ(ScoreJournal(path, 10).scores().values[9], 9);
  }
}

TEST(ScoreJournal, KeepsValuesAndRoutes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/scores.part";
  { ScoreJournal(path, 4).add(1, {1.5, 2.5}, {7, 8}); }
  ScoreJournal journal(path, 4);
  EXPECT_FALSE(journal.has(0));
  EXPECT_TRUE(journal.has(1) && journal.has(2));
  EXPECT_EQ(journal.scores().values[2], 2.5);
  EXPECT_EQ(journal.scores().routes[1], 7);
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace sz
