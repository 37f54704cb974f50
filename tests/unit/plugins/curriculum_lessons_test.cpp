// The lessons: warm-up, both loops, guard, events and release together, as a run would drive them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "unit/plugins/curriculum_school.h"

namespace curriculum {
namespace {

TEST(Lessons, TheWarmUpRisesLinearlyAndTheLoopsOnlyRecord) {
  School school([](Settings&) {});
  school.loss = spread_out;
  EXPECT_EQ(school.threshold(), 0.3);
  school.run(15);  // half of 3 epochs of 10 steps
  EXPECT_NEAR(school.threshold(), 0.5, 0.011);
  for (const double accuracy : {0.5, 0.1}) school.end_epoch(accuracy);
  school.run(14);
  EXPECT_TRUE(school.lessons->mixture().review.empty());
  EXPECT_TRUE(school.of("outer_factor").empty());
  EXPECT_EQ(school.of("warmup").size(), 0u);
  for (const Note& note : school.of("difficulty_threshold"))
    EXPECT_EQ(note.cause.rfind("warm-up", 0), 0u) << note.cause;
  school.run(1);
  EXPECT_EQ(school.of("warmup").size(), 1u);
  EXPECT_FALSE(school.lessons->mixture().review.empty()) << "the inner loop acts at step 30";
  EXPECT_NEAR(school.threshold(), 0.63, 1e-9);
}

TEST(Lessons, TheInnerLoopLowersWithReviewAndRaisesAgain) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.strategy = "inner"; s.start = 0.6; s.max = 0.8; });
  school.loss = spread_out;
  school.run(10);
  EXPECT_NEAR(school.threshold(), 0.54, 1e-12);
  const auto lowered = school.of("difficulty_threshold").back();
  EXPECT_EQ(lowered.fields[0].first, "spread");
  EXPECT_GT(lowered.fields[1].second, 0) << "the expected sampling error";
  EXPECT_EQ(lowered.fields[2].second, 8);
  ASSERT_FALSE(school.lessons->mixture().review.empty());
  int reviewed = 0;
  for (int i = 0; i < 5; ++i) {
    for (const Item& item : school.run_step()) {
      if (item.kind != Kind::kReview) continue;
      ++reviewed;
      EXPECT_LE(spread_out(item.sample), 1) << "mastered: of lowest loss";
      EXPECT_TRUE(school.lessons->pool().is_eligible(item.sample, 0.54));
    }
  }
  EXPECT_EQ(reviewed, 8);  // 20% of 40
  school.loss = [](int64_t) { return 1.0; };
  school.run(5);
  EXPECT_NEAR(school.threshold(), 0.54 * 1.05, 1e-12);
  EXPECT_TRUE(school.lessons->mixture().review.empty());
  EXPECT_EQ(school.of("review").size(), 2u);
}

// Mastered samples have the lowest losses: what review brings in must not count as spread, or it would never end.
TEST(Lessons, ReviewDoesNotKeepUpTheSpreadThatBroughtItIn) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.strategy = "inner"; s.start = 0.6; });
  school.loss = spread_out;
  school.run(10);
  ASSERT_FALSE(school.lessons->mixture().review.empty());
  int64_t others = 0;
  for (int i = 0; i < 10; ++i) {
    int64_t own = 0;
    for (const Item& item : school.run_step()) (item.kind == Kind::kPool ? own : others) += 1;
    EXPECT_EQ(int64_t(school.lessons->batch().count()), own);
  }
  EXPECT_EQ(others, 16) << "20% of 80";
}

TEST(Lessons, TheCapHoldsUntilTheFinalRelease) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.strategy = "inner"; s.start = 0.65; });
  school.total_steps = 200;
  school.lessons->begin();
  school.collect();
  ASSERT_EQ(school.of("data_hidden").size(), 1u);
  EXPECT_EQ(school.of("data_hidden")[0].fields[0].second, 30);
  school.run(179);
  EXPECT_DOUBLE_EQ(school.threshold(), 0.7);
  std::set<int64_t> taken;
  for (int i = 0; i < 21; ++i) {
    for (const Item& item : school.run_step()) taken.insert(item.sample);
  }
  EXPECT_EQ(school.threshold(), 1);
  EXPECT_EQ(taken.size(), 100u) << "the release is over all samples";
}

// Losses that spread whatever the samples: without a floor every look would take a tenth, down to a batch's worth.
TEST(Lessons, LossesThatAlwaysSpreadDoNotStarveTheRun) {
  School school([](Settings& s) { s.warmup_epochs = 1; });
  school.total_steps = 2000;
  school.loss = spread_out;
  school.run(1000);
  EXPECT_EQ(school.threshold(), 0.3);
  ASSERT_EQ(school.of("threshold_floor").size(), 1u) << "once, not at every look";
  const Note note = school.of("threshold_floor")[0];
  EXPECT_EQ(note.to, 0.3);
  EXPECT_NE(note.cause.find("inner loop"), std::string::npos) << note.cause;
  EXPECT_NE(note.en.find("inner_high"), std::string::npos) << note.en;
  EXPECT_NE(note.zh.find("inner_high"), std::string::npos) << note.zh;
  school.lessons->instability("amp_o2");
  school.collect();
  EXPECT_NEAR(school.threshold(), 0.25, 1e-12) << "an instability still takes its part";
  school.run(10);
  EXPECT_NEAR(school.threshold(), 0.25, 1e-12) << "and the loops leave it there";
}

TEST(Lessons, AStartBelowTheFloorIsTheFloor) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.start = 0.2; });
  school.loss = spread_out;
  school.run(100);
  EXPECT_EQ(school.threshold(), 0.2);
  School lower([](Settings& s) { s.warmup_epochs = 0; s.start = 0.6; s.min = 0.5; s.strategy = "inner"; });
  lower.loss = spread_out;
  lower.run(100);
  EXPECT_EQ(lower.threshold(), 0.5);
}

TEST(Lessons, NoCapNoRelease) {
  School school([](Settings& s) { s.strategy = "none"; });
  school.lessons->begin();
  school.run(1000);
  school.lessons->instability("amp_o2");
  school.collect();
  EXPECT_TRUE(school.notes.empty());
  EXPECT_EQ(school.threshold(), 1);
  EXPECT_EQ(school.changes, 0);
}

TEST(Lessons, SchedulesReachTheirEndBeforeTheRelease) {
  for (const char* name : {"fixed_linear", "fixed_root", "competence"}) {
    School school([&](Settings& s) { s.strategy = name; });
    school.run(899);
    EXPECT_NEAR(school.threshold(), 0.7, 0.011) << name;
    school.run(1);
    EXPECT_EQ(school.threshold(), 1) << name;
    EXPECT_LE(school.notes.size(), 45u) << name;
  }
}

// Accuracy that only grows is learning: halving at each epoch would stop the outer loop in every healthy run.
// Reported fault: 8 samples asked of a bucket of 2.
TEST(Lessons, TooFewEligibleSamplesWidenTheThresholdWithADecision) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.start = 0.02; });
  EXPECT_NEAR(school.threshold(), 0.08, 1e-12);
  ASSERT_EQ(school.of("difficulty_threshold").size(), 1u);
  EXPECT_NE(school.notes[0].cause.find("too few"), std::string::npos);
  school.loss = spread_out;
  school.run(50);  // the inner loop would lower it
  EXPECT_NEAR(school.threshold(), 0.08, 1e-12);
  School small([](Settings& s) { s.start = 0.1; }, 4);
  EXPECT_EQ(small.threshold(), 1) << "fewer samples than a batch";
  EXPECT_EQ(small.run_step().size(), 4u);
}

TEST(Lessons, AThirdPartysPacingIsTakenAtItsWord) {
  School school([](Settings& s) { s.warmup_epochs = 0; });
  Lessons::Data data{std::vector<double>(100, 0), std::vector<int32_t>(100, 0), 8, 1};
  for (int i = 0; i < 100; ++i) data.difficulty[size_t(i)] = (i + 1) / 100.0;
  Settings settings = school.settings;
  settings.strategy = "theirs";
  int calls = 0;
  Lessons lessons(settings, school.tuning, data, [&](const sz_pacing_signals& s) {
    ++calls;
    return s.step == 3 ? sz::Pacing::Move{0.55, "because"} : sz::Pacing::Move{s.threshold};
  });
  const std::vector<int64_t> samples = {1, 2};
  const std::vector<double> losses = {1, 2};
  for (int64_t step = 1; step <= 3; ++step) lessons.step({step, step, 0, 100, 10, samples, losses});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(lessons.mixture().threshold, 0.55);
  EXPECT_EQ(lessons.take_notes().back().cause, "because");
  settings.strategy = "broken";
  Lessons broken(settings, school.tuning, data, [](const auto&) { return sz::Pacing::Move{kNan}; });
  EXPECT_THROW(broken.step({1, 1, 0, 100, 10, samples, losses}), std::runtime_error);
}

TEST(Lessons, EveryChangeIsANoteWithCauseAndBothLanguages) {
  School school([](Settings& s) { s.warmup_epochs = 1; });
  school.loss = spread_out;
  double before = school.threshold();
  for (int epoch = 0; epoch < 60; ++epoch) {
    for (int i = 0; i < 10; ++i) {
      const size_t notes = school.notes.size();
      if (school.step == 205) school.lessons->instability("amp_o2");
      school.run_step();
      if (school.step == 350) school.loss = [](int64_t) { return 1.0; };
      EXPECT_TRUE(school.threshold() == before || school.notes.size() > notes);
      before = school.threshold();
    }
    school.end_epoch(0.3 + 0.1 * (epoch % 2));
    before = school.threshold();
  }
  EXPECT_GT(school.notes.size(), 40u);
  for (const Note& note : school.notes) {
    EXPECT_FALSE(note.cause.empty()) << note.what;
    EXPECT_FALSE(note.en.empty()) << note.what;
    EXPECT_GT(note.zh.size(), 0u) << note.what;
    EXPECT_TRUE(std::any_of(note.zh.begin(), note.zh.end(), [](char c) { return (c & 0x80) != 0; })) << note.zh;
  }
}

// Reported fault: the sampler's state is not restored. Saved at any step, everything goes on as if nothing had
// happened.
TEST(Lessons, GoOnFromSavedStateBitForBit) {
  const auto set = [](Settings& s) { s.warmup_epochs = 1; s.inner_every = 5; s.buckets = 4; };
  const auto live = [](School& school, int64_t from, int64_t to, std::vector<int64_t>& drawn) {
    for (int64_t i = from; i < to; ++i) {
      for (const Item& item : school.run_step()) drawn.push_back(item.sample * 8 + int64_t(item.kind));
      if (school.step == 42) school.lessons->instability("amp_o2");
      if (school.step % 10 == 0) school.end_epoch(0.3 + 0.02 * double(school.step % 30), {0.5, 0.4, 0.3, 0.3});
    }
  };
  for (const int64_t cut : {1, 9, 10, 17, 45, 60, 74}) {
    School whole(set), first(set), second(set);
    whole.loss = first.loss = second.loss = spread_out;
    whole.total_steps = first.total_steps = second.total_steps = 80;
    std::vector<int64_t> expected, drawn;
    live(whole, 0, 80, expected);
    live(first, 0, cut, drawn);
    second.lessons->load(first.lessons->save());
    second.state = SamplerState::decode(first.state.encode());
    second.step = cut;
    live(second, cut, 80, drawn);
    EXPECT_EQ(drawn, expected) << "cut after step " << cut;
    EXPECT_EQ(second.lessons->save(), whole.lessons->save());
  }
  School school(set), other(set, 60);
  EXPECT_THROW(other.lessons->load(school.lessons->save()), std::runtime_error) << "other data";
  EXPECT_THROW(school.lessons->load("x"), std::runtime_error);
}

TEST(Lessons, ARollBackRestoresThemAndAnEventAfterItStays) {
  School school([](Settings& s) { s.warmup_epochs = 0; s.start = 0.6; s.strategy = "inner"; });
  school.loss = spread_out;
  const std::string stable = school.lessons->save();
  school.run(20);
  EXPECT_LT(school.threshold(), 0.55);
  school.lessons->load(stable);
  school.lessons->instability("amp_o2");
  EXPECT_NEAR(school.threshold(), 0.55, 1e-12);
}

TEST(Lessons, WarnsWhenARunEndsBeforeTheLoopsCanAct) {
  Settings s;  // warm-up 3 epochs, inner every 2000
  EXPECT_EQ(loops_cannot_act(s, {1000, 20000, 0}).en, "");
  const Warning warning = loops_cannot_act(s, {100, 300, 0});
  EXPECT_NE(warning.en.find("inner loop"), std::string::npos);
  EXPECT_NE(warning.en.find("outer loop"), std::string::npos);
  EXPECT_NE(warning.zh.find("内环"), std::string::npos);
  EXPECT_NE(loops_cannot_act(s, {100, 1000, 0}).en.find("inner loop"), std::string::npos);
  EXPECT_EQ(loops_cannot_act(s, {100, 1000, 0}).en.find("outer loop"), std::string::npos);
  EXPECT_NE(loops_cannot_act(s, {0, 1999, 0}).en, "") << "without the data set only the steps are known";
  EXPECT_NE(loops_cannot_act(s, {0, 0, 3}).en, "");
  EXPECT_EQ(loops_cannot_act(s, {0, 0, 4}).en, "");
  s.strategy = "fixed_linear";
  EXPECT_EQ(loops_cannot_act(s, {100, 10, 0}).en, "");
}

}  // namespace
}  // namespace curriculum
