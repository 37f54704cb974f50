// Rolling back: to the stable state, bit for bit, with the data taken back or passed over.
#include <gtest/gtest.h>

#include "unit/train/training.h"

namespace sz::test {
namespace {

struct VoteAt final : Voter {
  int64_t attempt;
  Verdict verdict;
  bool keep;
  VoteAt(int64_t at, Verdict what, bool keep_data = false) : attempt(at), verdict(what), keep(keep_data) {}
  std::string name() const override { return "doctor"; }
  Vote vote(const StepFacts& facts) override {
    Vote vote;
    if (facts.attempt != attempt) return vote;
    vote.verdict = verdict;
    vote.reason = "the loss went up";
    vote.keep_data_position = keep;
    return vote;
  }
};

// Counts attempts, saved under one of the two scopes.
struct Counter final : Stateful {
  Scope its_scope;
  int64_t count = 0;
  explicit Counter(Scope scope) : its_scope(scope) {}
  std::string state_id() const override { return its_scope == Scope::kCheckpoint ? "kept" : "taken_back"; }
  Scope scope() const override { return its_scope; }
  std::string save_state() const override { return std::to_string(count); }
  void load_state(const std::string& bytes, uint32_t) override { count = std::stoll(bytes); }
};

RunSpec spec_with(int ranks) {
  RunSpec spec;
  spec.ranks = ranks;
  spec.options.accumulation = 2;
  spec.options.stable_every = 5;
  spec.options.steps = 14;
  spec.schedule.decay_type = "cosine";
  return spec;
}

void roll_back_at(RankParts& parts, int64_t attempt, bool keep = false) {
  parts.voters.push_back(parts.own<VoteAt>(attempt, Verdict::kRollBack, keep));
}

// Attempts as the run without the roll back numbers them.
std::vector<nlohmann::json> without_attempts(const RunResult& result) {
  auto lines = timeless(result.metrics);
  for (auto& line : lines) line.erase("attempt");
  return lines;
}

class RollBack : public testing::TestWithParam<int> {};

// Stable at step 5; attempt 8 is judged bad: steps 6 and 7 are done again, and all is as if they never were.
TEST_P(RollBack, EqualsTheRunThatNeverLeft) {
  RunSpec spec = spec_with(GetParam());
  const RunResult straight = train(spec);
  std::vector<Counter*> counters;
  std::mutex mutex;
  spec.prepare = [&](RankParts& parts) {
    roll_back_at(parts, 8);
    for (const auto scope : {Stateful::Scope::kCheckpoint, Stateful::Scope::kCheckpointAndRollback}) {
      Counter* const counter = parts.own<Counter>(scope);
      parts.states.push_back(counter);
      watch(parts, {Hook::kStepBegin}, [counter](const HookInfo&) { ++counter->count; });
    }
  };
  std::map<std::string, int64_t> counts;
  spec.finish = [&](RankParts& parts, Trainer&) {
    const std::lock_guard lock(mutex);
    for (const Stateful* state : parts.states) counts[state->state_id()] = std::stoll(state->save_state());
  };
  const RunResult rolled = train(spec);
  expect_identical(straight.arrays, rolled.arrays);
  expect_replicas_identical(rolled);
  EXPECT_EQ(rolled.outcome.state.step, 14);
  EXPECT_EQ(rolled.outcome.state.attempt, 14 + 3);
  EXPECT_EQ(rolled.outcome.state.plans, straight.outcome.state.plans);
  EXPECT_EQ(counts["kept"], 17);
  EXPECT_EQ(counts["taken_back"], 14);

  const auto lines = without_attempts(rolled), expected = without_attempts(straight);
  ASSERT_GE(lines.size(), 17u);
  // Lines of the attempts before the roll back, and those after it, are the straight run's.
  std::vector<nlohmann::json> after(lines.end() - int64_t(expected.size()) + 5 + 0, lines.end());
  EXPECT_EQ(after, std::vector<nlohmann::json>(expected.begin() + 5, expected.end()));
  const auto decisions = decisions_of(rolled, "rollback");
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].at("from"), 7);
  EXPECT_EQ(decisions[0].at("to"), 5);
  EXPECT_EQ(decisions[0].at("cause"), "the loss went up");
}
INSTANTIATE_TEST_SUITE_P(Ranks, RollBack, testing::Values(1, 2));

// Passing over the data: what follows is step 6 on the data of attempt 9.
TEST(RollBack, MayPassOverTheData) {
  RunSpec spec = spec_with(1);
  std::vector<uint64_t> first_positions;
  spec.prepare = [&](RankParts& parts) {
    roll_back_at(parts, 8, /*keep=*/true);
    watch(parts, {Hook::kBatchReady}, [&](const HookInfo& info) {
      if (info.mode == Mode::kTrain) first_positions.push_back(info.plan->front().position);
    });
  };
  const RunResult rolled = train(spec);
  EXPECT_EQ(rolled.outcome.state.step, 14);
  EXPECT_EQ(rolled.outcome.state.plans, 17);
  for (size_t i = 1; i < first_positions.size(); ++i) EXPECT_GT(first_positions[i], first_positions[i - 1]);
  EXPECT_GT(relative_difference(train(spec_with(1)).arrays, rolled.arrays), 1e-4);
}

// 50 samples, 4 a plan: 13 plans. The plan judged bad is the epoch's last, and is passed over: the epoch still ends.
TEST(RollBack, PassingOverAnEpochsLastPlanEndsTheEpoch) {
  RunSpec spec = spec_with(1);
  std::vector<std::string> trace;
  spec.prepare = [&](RankParts& parts) {
    roll_back_at(parts, 13, /*keep=*/true);
    watch(parts, {Hook::kEpochBegin, Hook::kEpochEnd, Hook::kEvalEnd}, [&](const HookInfo& info) {
      trace.push_back(std::string(name_of(info.hook)) + " " + std::to_string(info.epoch));
    });
  };
  train(spec);
  EXPECT_EQ(trace, (std::vector<std::string>{"EPOCH_BEGIN 0", "EVAL_END 0", "EPOCH_END 0", "EPOCH_BEGIN 1",
                                             "EVAL_END 1", "EPOCH_END 1"}));
}

// Counts what it sees, and goes back with a roll back.
struct Seen final : Stateful {
  std::vector<std::string> all;              // as they came
  std::map<std::string, int64_t> counts;     // as a state that a roll back takes back
  std::string state_id() const override { return "seen"; }
  Scope scope() const override { return Scope::kCheckpointAndRollback; }
  std::string save_state() const override { return nlohmann::json(counts).dump(); }
  void load_state(const std::string& bytes, uint32_t) override {
    counts = nlohmann::json::parse(bytes).get<std::map<std::string, int64_t>>();
  }
  void note(const HookInfo& info) {
    std::string what = std::string(name_of(info.hook)) + " " + std::to_string(info.epoch);
    all.push_back(what);
    ++counts[what];
  }
};

struct SeenRun {
  std::vector<std::string> all;
  std::map<std::string, int64_t> counts;
};

// 13 plans an epoch, 16 steps; where asked for, attempt 15 (of epoch 1) is judged bad.
SeenRun see(int64_t stable_every, bool roll_back) {
  RunSpec spec = spec_with(1);
  spec.options.steps = 16;
  spec.options.stable_every = stable_every;
  SeenRun run;
  Seen* seen = nullptr;
  spec.prepare = [&](RankParts& parts) {
    if (roll_back) roll_back_at(parts, 15);
    seen = parts.own<Seen>();
    parts.states.push_back(seen);
    watch(parts, {Hook::kEpochBegin, Hook::kEvalEnd, Hook::kEpochEnd},
          [seen](const HookInfo& info) { seen->note(info); });
  };
  spec.finish = [&](RankParts&, Trainer&) { run = {seen->all, seen->counts}; };
  train(spec);
  return run;
}

// What follows the stable state comes again, the end of an epoch and the beginning of one as well: so a state that was
// taken back comes to be what it is in the run that never left.
TEST(RollBack, WhatFollowsTheStableStateComesAgain) {
  const SeenRun straight = see(100, false);
  using Trace = std::vector<std::string>;
  EXPECT_EQ(straight.all, (Trace{"EPOCH_BEGIN 0", "EVAL_END 0", "EPOCH_END 0", "EPOCH_BEGIN 1", "EVAL_END 1",
                                 "EPOCH_END 1"}));
  const std::map<int64_t, Trace> until_there = {
      {100, {}},                                               // the run's first state
      {10, {"EPOCH_BEGIN 0"}},                                 // within the epoch before
      {13, {"EPOCH_BEGIN 0", "EVAL_END 0"}},                   // at its end, which is still to come
      {14, {"EPOCH_BEGIN 0", "EVAL_END 0", "EPOCH_END 0", "EPOCH_BEGIN 1"}}};
  for (const auto& [stable_every, before] : until_there) {
    const SeenRun rolled = see(stable_every, true);
    Trace expected = {"EPOCH_BEGIN 0", "EVAL_END 0", "EPOCH_END 0", "EPOCH_BEGIN 1"};  // of the attempts taken back
    expected.insert(expected.end(), straight.all.begin() + int64_t(before.size()), straight.all.end());
    EXPECT_EQ(rolled.all, expected) << stable_every;
    EXPECT_EQ(rolled.counts, straight.counts) << stable_every;
  }
}

// Observers without a state hear of a roll back: STEP_SKIPPED says why, STEP_END where the run stands now.
TEST(RollBack, IsToldToObservers) {
  RunSpec spec = spec_with(1);
  std::vector<std::string> trace;
  spec.prepare = [&](RankParts& parts) {
    roll_back_at(parts, 8);
    watch(parts, {Hook::kStepSkipped, Hook::kStepEnd}, [&](const HookInfo& info) {
      if (info.attempt != 8) return;
      trace.push_back(std::string(name_of(info.hook)) + " of step " + std::to_string(info.facts->step) + " at step " +
                      std::to_string(info.step) + (info.reason ? std::string(": ") + info.reason : ""));
    });
  };
  train(spec);
  EXPECT_EQ(trace, (std::vector<std::string>{"STEP_SKIPPED of step 7 at step 7: the loss went up",
                                             "STEP_END of step 7 at step 5"}));
}

// A step that is reached a second time is evaluated a second time.
TEST(RollBack, EvaluatesTheStepsThatItRepeats) {
  RunSpec spec = spec_with(1);
  spec.options.eval_every = 6;
  spec.options.steps = 8;
  spec.prepare = [](RankParts& parts) { roll_back_at(parts, 8, /*keep=*/true); };
  const auto evaluations = with(train(spec).metrics, "eval_loss");
  ASSERT_EQ(evaluations.size(), 3u);  // at step 6 twice, and at the end
  EXPECT_EQ(evaluations[0].at("step"), 6);
  EXPECT_EQ(evaluations[1].at("step"), 6);
  EXPECT_NE(evaluations[0].at("eval_loss"), evaluations[1].at("eval_loss"));
}

TEST(RollBack, WithoutASnapshotEndsTheRun) {
  RunSpec spec = spec_with(1);
  spec.options.keep_stable = false;
  spec.prepare = [](RankParts& parts) { roll_back_at(parts, 8); };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kDiverged);
  EXPECT_NE(thrown.message.find("train.snapshot"), std::string::npos) << thrown.message;
}

// A skipped attempt puts the stable state of step 5 off until three good ones are in a row.
TEST(RollBack, TheStableStateWaitsForGoodAttempts) {
  // Attempts 1 2 3 are steps 1 2 3, attempt 4 is skipped, 5 6 7 are steps 4 5 6: stable at step 6.
  RunSpec spec = spec_with(1);
  spec.prepare = [](RankParts& parts) {
    parts.voters.push_back(parts.own<VoteAt>(4, Verdict::kSkip));
    roll_back_at(parts, 9);
  };
  const auto decisions = decisions_of(train(spec), "rollback");
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].at("from"), 7);
  EXPECT_EQ(decisions[0].at("to"), 6);
}

// Bad from the start: the first step after it is not stable yet.
TEST(RollBack, AFirstAttemptThatWasBadCountsAsOneOfTheLast) {
  RunSpec spec = spec_with(1);
  spec.options.stable_every = 1;
  spec.prepare = [](RankParts& parts) {
    parts.voters.push_back(parts.own<VoteAt>(1, Verdict::kSkip));
    roll_back_at(parts, 3);
  };
  EXPECT_EQ(decisions_of(train(spec), "rollback").at(0).at("to"), 0);
}

// Events raised in VERDICT arrive after the restore, so that it cannot undo what they cause.
TEST(RollBack, EventsArriveAfterTheRestore) {
  RunSpec spec = spec_with(1);
  Counter* counter = nullptr;
  spec.prepare = [&](RankParts& parts) {
    roll_back_at(parts, 8);
    counter = parts.own<Counter>(Stateful::Scope::kCheckpointAndRollback);
    parts.states.push_back(counter);
    parts.services.events.subscribe("unstable", [&](const Event&) { counter->count = 100; });
    watch(parts, {Hook::kVerdict}, [&parts](const HookInfo& info) {
      if (info.attempt == 8) parts.services.events.publish({"unstable", "doctor", {}});
    });
  };
  int64_t at_end = 0;
  spec.finish = [&](RankParts&, Trainer&) { at_end = counter->count; };
  train(spec);
  EXPECT_EQ(at_end, 100);
}

}  // namespace
}  // namespace sz::test
