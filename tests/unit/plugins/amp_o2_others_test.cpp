// amp_o2 beside others that vote: what it remembers of an attempt is what the loop made of it.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "unit/plugins/amp_o2_driver.h"
#include "unit/plugins/amp_o2_run.h"

namespace sz::amp {
namespace {

// What another voter has skipped is as if it had not been, be a growth due, a variance's jump or the third explosion.
TEST(LossScaleAndOthers, WhatTheySkipHasNotBeen) {
  ScaleOptions options;
  options.growth_interval = 20;
  options.variance_window = 10;
  const auto expect_undone = [](Driver& run, double norm, const auto& changes) {
    const std::string before = run.scale.save();
    ScaleFacts facts;
    facts.step = run.step;
    facts.grad_norm = norm;
    facts.loss = 2;
    const Ruling ruling = run.scale.judge(facts);
    EXPECT_EQ(ruling.action, Action::kApply);
    EXPECT_TRUE(changes(ruling));
    EXPECT_NE(run.scale.save(), before);
    run.scale.not_applied();
    EXPECT_EQ(run.scale.save(), before);
    EXPECT_TRUE(changes(run.attempt(norm))) << "it comes with the next that is applied";
  };
  Driver growing(options);
  growing.warm_up(19);
  expect_undone(growing, 1, [](const Ruling& r) { return r.change == Change::kGrowth; });
  Driver exploding(options);
  exploding.warm_up(12);
  exploding.attempt(50), exploding.good(), exploding.attempt(50), exploding.good();
  expect_undone(exploding, 50, [](const Ruling& r) { return r.clip_switched_on; });
  Driver jumping(options);
  jumping.warm_up(10);
  for (int i = 0; i < 9; ++i) jumping.good(i % 2 ? 1.8 : 0.2);
  expect_undone(jumping, 1.8, [](const Ruling& r) { return r.sigma.has_value(); });
}

TEST(LossScaleAndOthers, StepsThatTheyTakeBackAreNoHistory) {
  ScaleOptions options;
  options.growth_interval = 10;
  Driver run(options);
  run.warm_up(8);
  run.bad();
  run.scale.taken_back();
  run.step = 5;
  run.bad(), run.bad();
  EXPECT_EQ(run.step, 5) << "the bad one before is of the state that is gone";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run.good().change, Change::kNone);  // the same steps again
  for (int i = 0; i < 9; ++i) EXPECT_EQ(run.good().change, Change::kNone);
  EXPECT_EQ(run.good().change, Change::kGrowth);
}

}  // namespace
}  // namespace sz::amp

namespace sz::test {
namespace {

// Votes at some attempts.
struct Doctor final : Voter {
  std::map<int64_t, Verdict> orders;
  explicit Doctor(std::map<int64_t, Verdict> orders) : orders(std::move(orders)) {}
  std::string name() const override { return "doctor"; }
  Vote vote(const StepFacts& facts) override {
    Vote vote;
    const auto order = orders.find(facts.attempt);
    if (order == orders.end()) return vote;
    vote.verdict = order->second;
    vote.reason = "it looks ill";
    return vote;
  }
};

AmpRun run_with(std::map<int64_t, Verdict> orders, std::set<int64_t> spoiled = {}) {
  AmpRun amp;
  amp.keys = "dtype = \"bf16\"";
  amp.prepare = [=](RankParts& parts) {
    parts.voters.push_back(parts.own<Doctor>(orders));
    spoil(parts, spoiled, std::numeric_limits<double>::infinity());
  };
  return amp;
}

TEST(AmpAndOthers, WhatTheySkipIsNoGoodStep) {
  AmpRun amp = run_with({{4, Verdict::kSkip}});
  amp.keys += "\ngrowth_interval = 4";
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(verdicts(result)[3], "skip");
  const auto lines = with(result.run.metrics, "scale");
  EXPECT_EQ(lines.at(4).at("scale"), 4096.0) << "the fourth good step is attempt 5";
  EXPECT_EQ(lines.at(5).at("scale"), 8192.0);
  EXPECT_EQ(told(result, "loss_scale").size(), 3u) << "told once, as it is done";
}

TEST(AmpAndOthers, WhatTheyRollBackIsNoHistory) {
  AmpRun amp = run_with({{8, Verdict::kRollBack}});
  amp.spec.options.stable_every = 5;
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(with(result.run.metrics, "step")[7].at("step"), 5);
  const size_t norms = result.state.find("norms");
  ASSERT_NE(norms, std::string::npos);
  EXPECT_EQ(std::count(result.state.begin() + int64_t(norms), result.state.end(), ' '), 7) << "steps 6 to 12";
  EXPECT_THAT(result.state, testing::HasSubstr("\ngrowth 5\n")) << "steps 8 to 12";
  EXPECT_THAT(result.state, testing::HasSubstr("\nfurthest 12\n"));
  EXPECT_THAT(result.state, testing::HasSubstr("\nrollbacks 0\n"));
}

TEST(AmpAndOthers, WhatTheySkipDoesNotEndABadRow) {
  AmpRun amp = run_with({{11, Verdict::kSkip}}, {9, 10, 12});
  amp.spec.options.steps = 9;
  const std::vector<std::string> seen = verdicts(train_amp(amp));
  EXPECT_EQ(std::vector<std::string>(seen.begin() + 7, seen.begin() + 12),
            (std::vector<std::string>{"apply", "skip", "skip", "skip", "roll back"}));
}

TEST(AmpAndOthers, WhatTheyRollBackEndsABadRow) {
  AmpRun amp = run_with({{8, Verdict::kRollBack}}, {8, 9, 10});
  amp.spec.options.stable_every = 5;
  const std::vector<std::string> seen = verdicts(train_amp(amp));
  EXPECT_EQ(std::vector<std::string>(seen.begin() + 6, seen.begin() + 11),
            (std::vector<std::string>{"apply", "roll back", "skip", "skip", "apply"}));
}

}  // namespace
}  // namespace sz::test
