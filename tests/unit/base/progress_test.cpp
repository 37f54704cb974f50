#include "base/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sz {
namespace {

using ::testing::ElementsAre;

// A clock turned by hand, and the lines in order; status lines begin with "~".
struct Stage {
  double now = 100;
  std::vector<std::string> lines;

  ProgressOptions options(bool terminal, int64_t start = 0) {
    ProgressOptions o;
    o.start = start;
    o.terminal = terminal;
    o.clock = [this] { return now; };
    o.put = [this](const std::string& line, bool status) { lines.push_back((status ? "~" : "") + line); };
    return o;
  }
};

TEST(Progress, Durations) {
  EXPECT_EQ(format_duration(0.4), "0 s");
  EXPECT_EQ(format_duration(59.6), "1 min 00 s");
  EXPECT_EQ(format_duration(125), "2 min 05 s");
  EXPECT_EQ(format_duration(3 * 3600 + 7 * 60), "3 h 07 min");
  EXPECT_EQ(format_duration(50 * 3600), "2 d 02 h");
  EXPECT_EQ(format_duration(NAN), "?");
  EXPECT_EQ(format_duration(-1), "?");
}

TEST(Progress, OnATerminalTheLineRedrawsAtMostTenTimesASecond) {
  Stage stage;
  {
    Progress progress("training", 200, stage.options(true));
    stage.now += 10;
    progress.update(20, "loss 3.21");
    stage.now += 0.01;
    progress.update(21);
    stage.now += 10;
    progress.update(40);
    progress.finish("loss 2");
    progress.update(41);
  }
  EXPECT_THAT(stage.lines, ElementsAre("~training 20/200  10%  loss 3.21  1 min 30 s to go",
                                       "~training 40/200  20%  1 min 20 s to go", "~",
                                       "training done in 20 s  loss 2"));
}

TEST(Progress, WhatIsStoppedIsNotDone) {
  Stage stage;
  Progress progress("training", 200, stage.options(false));
  stage.now += 10;
  progress.stop("step 20");
  progress.finish("step 20");
  EXPECT_THAT(stage.lines, ElementsAre("training stopped after 10 s  step 20"));
}

TEST(Progress, ElsewhereALineEachTenthAndNotTooSoon) {
  Stage stage;
  Progress progress("tokenizing", 100, stage.options(false));
  for (int64_t done = 1; done <= 100; ++done) {
    stage.now += 2;  // a tenth takes 20 s, the least time between lines is 10 s
    progress.update(done);
  }
  EXPECT_EQ(stage.lines.size(), 10u);
  EXPECT_EQ(stage.lines[0], "tokenizing 10/100  10%  3 min 00 s to go");
  EXPECT_EQ(stage.lines[9], "tokenizing 100/100 100%");

  Stage fast;
  Progress quick("tokenizing", 100, fast.options(false));
  for (int64_t done = 1; done <= 100; ++done) {
    fast.now += 0.15;  // 15 s in all
    quick.update(done);
  }
  EXPECT_EQ(fast.lines.size(), 1u);
}

TEST(Progress, AResumedRunCountsItsOwnPaceOnly) {
  Stage stage;
  Progress progress("training", 100, stage.options(false, 50));
  stage.now += 20;
  progress.update(60);
  EXPECT_THAT(stage.lines, ElementsAre("training 60/100  60%  1 min 20 s to go"));
}

TEST(Progress, WithoutATotalAndSwitchedOff) {
  Stage stage;
  {
    Progress progress("reading", 0, stage.options(true));
    progress.update(7, "MB");
  }
  EXPECT_THAT(stage.lines, ElementsAre("~reading 7  MB", "~"));
  Stage off;
  ProgressOptions options = off.options(true);
  options.enabled = false;
  Progress progress("reading", 10, options);
  progress.update(7);
  progress.finish();
  EXPECT_TRUE(off.lines.empty());
}

}  // namespace
}  // namespace sz
