#include "app/score_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "unit/app/scoring_run.h"

namespace sz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLength = "[plugins.scorer_length]\nenabled = true\n";

size_t files_ending(const std::string& folder, const std::string& end) {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) count += entry.path().string().ends_with(end);
  return count;
}

// A scorer in C that no part of the runtime knows.
TEST(ScoreBook, AThirdPartysScorerIsUsedByName) {
  const SmallData small;
  ScoringRun run(kLength);
  run.start();
  ScoreBook book(run.config, small.data, run.host.scorers(), small.book());
  ASSERT_EQ(book.scorers().size(), 1u);
  EXPECT_EQ(book.scorers()[0].name(), "length");
  EXPECT_EQ(&book.find("scorer_length"), &book.find("length"));
  for (const Split split : {Split::kTrain, Split::kValidation}) {
    const SplitScores& scores = book.scores(split, "length");
    ASSERT_EQ(int64_t(scores.values.size()), small.data->count(split));
    EXPECT_GT(*std::max_element(scores.values.begin(), scores.values.end()), 10);
    EXPECT_GE(*std::min_element(scores.values.begin(), scores.values.end()), 0);
  }
  test::expect_error(Exit::kUsage, "there is: length", [&] { book.find("width"); });
}

TEST(ScoreBook, ScoresAreKeptBesideTheShardsAndReadBack) {
  const SmallData small;
  ScoringRun run(kLength);
  run.start();
  const auto scored = [&](int threads) {
    return ScoreBook(run.config, small.data, run.host.scorers(), small.book(threads)).scores(Split::kTrain, "length");
  };
  const auto computed = scored(3);
  const std::string folder = small.folder + "/scores";
  EXPECT_EQ(files_ending(folder, ".bin"), 2u);
  EXPECT_EQ(files_ending(folder, ".part"), 0u);
  const auto written = fs::last_write_time(fs::directory_iterator(folder)->path());
  const auto read = scored(2);
  EXPECT_EQ(read.values, computed.values);
  EXPECT_EQ(fs::last_write_time(fs::directory_iterator(folder)->path()), written);

  // A damaged file is computed again.
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".bin") fs::resize_file(entry.path(), 40);
  }
  EXPECT_EQ(scored(2).values, computed.values);
}

TEST(ScoreBook, ItsKeyFollowsTheConfigurationAndTheData) {
  const SmallData small;
  ScoringRun run(kLength), same(kLength), other(std::string(kLength) + "longest = 5.0\n");
  const auto key = [](ScoringRun& run, const std::shared_ptr<const Dataset>& data) {
    ScoreBook book(run.config, data, run.host.scorers(), {});
    return book.key(book.scorers().at(0));
  };
  run.start();
  same.start();
  other.start();
  EXPECT_EQ(key(run, small.data), key(same, small.data));
  EXPECT_NE(key(run, small.data), key(other, small.data));
  EXPECT_NE(key(run, small.data), key(run, Dataset::open(small.folder, 32)));
}

TEST(ScoreBook, AnInterruptedPassGoesOn) {
  const SmallData small;
  ScoringRun run(kLength);
  run.start();
  std::vector<double> expected;
  {
    ScoreBook book(run.config, small.data, run.host.scorers(), small.book());
    expected = book.scores(Split::kTrain, "length").values;
  }
  // As if the pass had died after three samples, the second of which it had given another value.
  std::string file;
  for (const auto& entry : fs::directory_iterator(small.folder + "/scores")) {
    if (entry.path().string().ends_with(".train.bin")) file = entry.path();
  }
  fs::remove(file);
  { ScoreJournal(file + ".part", small.data->count(Split::kTrain)).add(0, {expected[0], -1, expected[2]}, {0, 0, 0}); }
  ScoreBook book(run.config, small.data, run.host.scorers(), small.book());
  std::vector<double> went_on = book.scores(Split::kTrain, "length").values;
  EXPECT_EQ(went_on[1], -1) << "it was scored again";
  went_on[1] = expected[1];
  EXPECT_EQ(went_on, expected);
  EXPECT_EQ(files_ending(small.folder + "/scores", ".part"), 0u);
}

}  // namespace
}  // namespace sz
