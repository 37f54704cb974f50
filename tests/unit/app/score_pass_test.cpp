#include "app/score_pass.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <set>

#include "base/signals.h"
#include "unit/data/fixtures.h"

namespace sz {
namespace {

// A sample's score is its number.
ScorePass numbers(int64_t samples, int threads, std::atomic<int>& asked) {
  ScorePass pass;
  pass.samples = samples;
  pass.threads = threads;
  pass.chunk = 7;
  pass.score = [&asked](int64_t first, int64_t count, std::vector<double>& values, std::vector<uint32_t>& routes) {
    for (int64_t i = 0; i < count; ++i) {
      values[size_t(i)] = double(first + i);
      routes[size_t(i)] = uint32_t((first + i) % 3);
    }
    asked += int(count);
  };
  return pass;
}

void expect_numbers(const ScoreJournal& journal, int64_t samples) {
  ASSERT_EQ(journal.done(), samples);
  for (int64_t i = 0; i < samples; ++i) {
    EXPECT_EQ(journal.scores().values[size_t(i)], double(i));
    EXPECT_EQ(journal.scores().routes[size_t(i)], i % 3);
  }
}

TEST(ScorePass, ScoresEverySampleOnce) {
  for (const int threads : {1, 4}) {
    const test::TemporaryFolder folder;
    ScoreJournal journal(folder.path() + "/part", 100);
    std::atomic<int> asked = 0;
    int64_t last = -1;
    ScorePass pass = numbers(100, threads, asked);
    pass.progress = [&](int64_t done) { last = done; };
    run_score_pass(pass, journal);
    EXPECT_EQ(asked, 100);
    EXPECT_EQ(last, 100);
    expect_numbers(journal, 100);
  }
}

TEST(ScorePass, AfterAFailureTheNextGoesOn) {
  const test::TemporaryFolder folder;
  std::atomic<int> asked = 0;
  {
    ScoreJournal journal(folder.path() + "/part", 100);
    ScorePass pass = numbers(100, 2, asked);
    const auto score = pass.score;
    pass.score = [&](int64_t first, int64_t count, std::vector<double>& values, std::vector<uint32_t>& routes) {
      if (first >= 49) throw Error(Exit::kPlugin, "the scorer fell over");
      score(first, count, values, routes);
    };
    test::expect_error(Exit::kPlugin, "fell over", [&] { run_score_pass(pass, journal); });
    EXPECT_EQ(journal.done(), 49);
  }
  ScoreJournal journal(folder.path() + "/part", 100);
  EXPECT_EQ(journal.done(), 49);
  asked = 0;
  run_score_pass(numbers(100, 2, asked), journal);
  EXPECT_EQ(asked, 51);
  expect_numbers(journal, 100);
}

TEST(ScorePass, AStopSignalEndsItAndKeepsWhatIsDone) {
  const test::TemporaryFolder folder;
  install_signal_handlers();
  clear_signals();
  std::atomic<int> asked = 0;
  {
    ScoreJournal journal(folder.path() + "/part", 1000);
    ScorePass pass = numbers(1000, 1, asked);
    const auto score = pass.score;
    pass.score = [&](int64_t first, int64_t count, std::vector<double>& values, std::vector<uint32_t>& routes) {
      score(first, count, values, routes);
      if (first == 21) std::raise(SIGTERM);
    };
    test::expect_error(Exit::kTerminated, "goes on from there", [&] { run_score_pass(pass, journal); });
  }
  clear_signals();
  ScoreJournal journal(folder.path() + "/part", 1000);
  EXPECT_GE(journal.done(), 28);
  run_score_pass(numbers(1000, 1, asked), journal);
  EXPECT_EQ(asked, 1000);
  expect_numbers(journal, 1000);
}

TEST(ScorePass, NothingToDo) {
  const test::TemporaryFolder folder;
  ScoreJournal journal(folder.path() + "/part", 0);
  std::atomic<int> asked = 0;
  run_score_pass(numbers(0, 4, asked), journal);
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace sz
