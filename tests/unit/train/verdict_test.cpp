// VERDICT: facts become global, votes decide alike on all ranks, and what is skipped leaves no trace.
#include <gtest/gtest.h>

#include <limits>

#include "unit/train/training.h"

namespace sz::test {
namespace {

// Votes as it is told, by attempt.
struct ScriptedVoter final : Voter {
  std::string voter_name = "scripted";
  std::map<int64_t, Vote> script;  // by attempt
  std::string name() const override { return voter_name; }
  Vote vote(const StepFacts& facts) override {
    const auto it = script.find(facts.attempt);
    return it == script.end() ? Vote() : it->second;
  }
};

Vote make_vote(Verdict verdict, const std::string& reason, bool keep_data_position = false) {
  Vote vote;
  vote.verdict = verdict;
  vote.reason = reason;
  vote.keep_data_position = keep_data_position;
  return vote;
}

ScriptedVoter& add_voter(RankParts& parts, const std::string& name, std::map<int64_t, Vote> script) {
  ScriptedVoter& voter = *parts.own<ScriptedVoter>();
  voter.voter_name = name;
  voter.script = std::move(script);
  parts.voters.push_back(&voter);
  return voter;
}

// Replaces one gradient of one segment by NaN on one rank, in the given attempts.
struct Poison final : Wrapper {
  int segment;
  int64_t first, last;  // attempts
  const int64_t* attempt;
  Poison(int s, int64_t from, int64_t to, const int64_t* now) : segment(s), first(from), last(to), attempt(now) {}
  std::string name() const override { return "poison"; }
  bool wraps(Hook hook) const override { return hook == Hook::kSegmentBackward; }
  void segment_backward(SegmentCall& call, const Next& next) override {
    next();
    if (call.segment != segment || *attempt < first || *attempt > last) return;
    at::Tensor poisoned = call.gradients.parameters[0].clone();
    poisoned.data_ptr<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    call.gradients.parameters[0] = poisoned;
  }
};

void poison(RankParts& parts, int rank, int64_t first, int64_t last) {
  int64_t* const attempt = parts.own<int64_t>(0);
  watch(parts, {Hook::kStepBegin}, [attempt](const HookInfo& info) { *attempt = info.attempt; });
  if (parts.rank() == rank) parts.hooks.wrap(std::make_shared<Poison>(2, first, last, attempt));
}

// Parameters, moments and counters before and after the attempt.
struct Snapshots {
  std::mutex mutex;
  std::map<int64_t, Arrays> at_attempt;  // at STEP_BEGIN, put together from all ranks
};

void keep_snapshots(RankParts& parts, Snapshots& into) {
  watch(parts, {Hook::kStepBegin}, [&](const HookInfo& info) {
    const std::lock_guard lock(into.mutex);
    export_into(*parts.residency, into.at_attempt[info.attempt]);
  });
}

TEST(Verdict, NonFiniteOnOneRankSkipsOnAll) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 5;
  Snapshots snapshots;
  std::mutex mutex;
  std::vector<std::string> skips;
  spec.prepare = [&](RankParts& parts) {
    poison(parts, 1, 3, 3);
    keep_snapshots(parts, snapshots);
    watch(parts, {Hook::kStepSkipped}, [&](const HookInfo& info) {
      const std::lock_guard lock(mutex);
      skips.push_back(std::to_string(info.attempt) + ": " + info.reason);
      EXPECT_EQ(info.facts->non_finite, 1);
      EXPECT_TRUE(std::isnan(info.facts->grad_norm));
      EXPECT_EQ(parts.model.parameters[size_t(info.facts->first_non_finite_parameter)].name,
                "block.0.mlp.norm.weight");
    });
  };
  const RunResult result = train(spec);
  EXPECT_EQ(skips, (std::vector<std::string>(2, "3: 1 non-finite gradient elements")));
  EXPECT_EQ(result.outcome.state.step, 5);
  EXPECT_EQ(result.outcome.state.attempt, 6);
  expect_identical(snapshots.at_attempt[3], snapshots.at_attempt[4]);
  EXPECT_GT(relative_difference(snapshots.at_attempt[4], snapshots.at_attempt[5]), 0);
  expect_replicas_identical(result);
  EXPECT_EQ(result.metrics[2].at("verdict"), "skip");
  EXPECT_EQ(result.metrics[2].at("step"), 2);
  EXPECT_EQ(result.metrics[2].at("grad_norm"), "nan");
  EXPECT_EQ(result.metrics[3].at("step"), 3);
  const auto verdicts = decisions_of(result, "verdict");
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].at("plugin"), "fp32");
  EXPECT_EQ(verdicts[0].at("attempt"), 3);
}

// The update after a skip uses the step's own bias correction and learning rate.
TEST(Verdict, ASkippedAttemptCountsForNeitherScheduleNorAdam) {
  RunSpec spec;
  spec.options.steps = 4;
  spec.schedule.warmup_steps = 4;
  spec.prepare = [](RankParts& parts) { poison(parts, 0, 1, 2); };
  const RunResult result = train(spec);
  std::vector<double> rates;
  for (const auto& line : result.metrics) {
    if (line.value("verdict", "") == "apply") rates.push_back(line.at("lr"));
  }
  ASSERT_EQ(rates.size(), 4u);
  for (size_t i = 0; i < rates.size(); ++i) EXPECT_DOUBLE_EQ(rates[i], 1e-3 * double(i + 1) / 4);
}

TEST(Verdict, TooManyBadAttemptsInARowEndTheRun) {
  RunSpec spec;
  spec.ranks = 2;
  spec.precision.max_bad = 4;
  const TemporaryFolder folder;
  spec.folder = folder.path();
  spec.prepare = [](RankParts& parts) { poison(parts, 0, 6, 100); };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kDiverged);
  EXPECT_NE(thrown.message.find("attempt 9"), std::string::npos) << thrown.message;
  EXPECT_NE(thrown.message.find("train.max_bad"), std::string::npos) << thrown.message;
  const auto metrics = json_lines(folder / "metrics.jsonl");
  EXPECT_EQ(metrics.back().at("attempt"), 9);
  EXPECT_EQ(metrics.back().at("verdict"), "abort");
}

// Each rank hears the verdict itself: none is told by another's leaving, which would be a failure of communication.
TEST(Verdict, EveryRankEndsWithTheSameReason) {
  RunSpec spec;
  spec.ranks = 3;
  spec.precision.max_bad = 1;
  spec.options.steps = 1;
  std::mutex mutex;
  std::vector<std::string> reasons;
  spec.prepare = [&](RankParts& parts) {
    poison(parts, 0, 1, 1);
    watch(parts, {Hook::kRunFailed}, [&](const HookInfo& info) {
      const std::lock_guard lock(mutex);
      reasons.push_back(info.reason);
    });
  };
  EXPECT_EQ(thrown_by([&] { train(spec); }).exit, Exit::kDiverged);
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_EQ(reasons[0], reasons[1]);
  EXPECT_EQ(reasons[0], reasons[2]);
}

TEST(Verdict, BadAttemptsWithGoodOnesBetweenDoNotEndTheRun) {
  RunSpec spec;
  spec.precision.max_bad = 2;
  spec.options.steps = 4;
  spec.prepare = [](RankParts& parts) {
    poison(parts, 0, 2, 2);
    poison(parts, 0, 4, 4);
  };
  EXPECT_EQ(train(spec).outcome.state.attempt, 6);
}

// A loss that is not a number at one token.
struct NanLoss final : Loss {
  std::shared_ptr<const Loss> inner = make_cross_entropy();
  LossResult compute(const at::Tensor& hidden, const TensorList& head, const at::Tensor& labels,
                     const at::Tensor& weight, bool want_gradients) const override {
    LossResult result = inner->compute(hidden, head, labels, weight, want_gradients);
    result.loss.view({-1})[0].fill_(std::numeric_limits<float>::quiet_NaN());
    return result;
  }
};

TEST(Verdict, ANanLossIsShownAsSuch) {
  RunSpec spec;
  spec.precision.max_bad = 2;
  spec.options.steps = 1;
  const TemporaryFolder folder;
  spec.folder = folder.path();
  auto source = std::make_shared<MemorySource>();
  for (auto& sample : source->samples(Split::kTrain)) sample.tokens.mask[0] = 1;
  spec.source = source;
  spec.prepare = [](RankParts& parts) {
    ModelOptions options{.type = "GPT-2", .layers = 1, .width = 16, .heads = 2, .context = 24, .vocabulary = 97};
    parts.model = make_gpt2()->declare(options, std::make_shared<NanLoss>());
  };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kDiverged);
  EXPECT_NE(thrown.message.find("the loss is not finite"), std::string::npos) << thrown.message;
  EXPECT_EQ(json_lines(folder / "metrics.jsonl").at(0).at("loss"), "nan");
}

TEST(Verdict, TheSeverestVoteWinsAndTiesGoToTheFirst) {
  RunSpec spec;
  spec.options.steps = 2;
  spec.prepare = [](RankParts& parts) {
    add_voter(parts, "first", {{1, make_vote(Verdict::kSkip, "because of one")}});
    add_voter(parts, "second", {{1, make_vote(Verdict::kRollBack, "because of two")},
                                {2, make_vote(Verdict::kSkip, "because of two")}});
    add_voter(parts, "third", {{1, make_vote(Verdict::kRollBack, "because of three")},
                               {2, make_vote(Verdict::kSkip, "because of three")}});
  };
  const RunResult result = train(spec);
  EXPECT_EQ(result.outcome.state.attempt, 4);
  const auto verdicts = decisions_of(result, "verdict");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].at("plugin"), "second");
  EXPECT_EQ(verdicts[0].at("to"), "roll back");
  EXPECT_EQ(verdicts[0].at("cause"), "because of two");
  EXPECT_EQ(verdicts[0].at("votes"),
            "first: skip (because of one); second: roll back (because of two); third: roll back (because of three)");
  EXPECT_EQ(verdicts[1].at("plugin"), "second");
  EXPECT_EQ(verdicts[1].at("to"), "skip");
}

TEST(Verdict, AStepWithoutALabelIsSkipped) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 0;
  spec.options.epochs = 1;
  auto source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 4, .validation = 0});
  for (int64_t i = 0; i < 4; ++i) source->mask(Split::kTrain, i);
  spec.source = source;
  const RunResult result = train(spec);
  EXPECT_EQ(result.outcome.state.step, 0);
  EXPECT_EQ(result.outcome.state.attempt, 1);
  ASSERT_EQ(decisions_of(result, "verdict").size(), 1u);
  EXPECT_EQ(decisions_of(result, "verdict")[0].at("cause"), "no token of the step counts: all labels are masked");
}

// The plan's second half falls to rank 1: masked there, the step is that of the first half alone.
TEST(Verdict, ARankWhoseLabelsAreAllMaskedChangesNothing) {
  auto source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 4, .validation = 0});
  const std::vector<int64_t> order = [&] {
    std::vector<int64_t> samples;
    const auto sampler = make_shuffle_sampler();
    sampler->setup({4, 4, 11});
    for (const PlanItem& item : sampler->plan("0").first) samples.push_back(item.sample);
    return samples;
  }();
  for (const int64_t kept : {order[0], order[1]}) source->samples(Split::kTrain)[size_t(kept)].tokens.mask[0] = 1;
  for (const int64_t masked : {order[2], order[3]}) source->mask(Split::kTrain, masked);
  RunSpec spec;
  spec.source = source;
  spec.options.steps = 1;
  spec.ranks = 2;
  const RunResult two = train(spec);
  spec.ranks = 1;
  spec.options.accumulation = 2;
  const RunResult one = train(spec);
  EXPECT_EQ(two.outcome.state.step, 1);
  EXPECT_LE(relative_difference(one.arrays, two.arrays), 1e-6);
  EXPECT_EQ(one.metrics[0].at("loss"), two.metrics[0].at("loss"));
}

TEST(Verdict, MoreRanksThanSamples) {
  RunSpec spec;
  spec.source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 2, .validation = 1});
  spec.options.steps = 3;
  spec.ranks = 1;
  const RunResult one = train(spec);
  spec.ranks = 4;
  const RunResult four = train(spec);
  EXPECT_LE(relative_difference(one.arrays, four.arrays), 1e-6);
  EXPECT_EQ(with(four.metrics, "eval_loss").size(), 3u);
}

}  // namespace
}  // namespace sz::test
