// What rides on VERDICT: failures of observers, step scalars, requests, metrics, the hash of replicated state.
#include <gtest/gtest.h>

#include <algorithm>

#include "train/observer_failures.h"
#include "unit/train/training.h"

namespace sz::test {
namespace {

TEST(Observers, AFailingObserverIsDisabledEverywhereAndChangesNothing) {
  RunSpec plain;
  plain.ranks = 2;
  plain.options.accumulation = 2;
  const RunResult without = train(plain);
  RunSpec spec = plain;
  std::mutex mutex;
  std::map<int, int> calls;
  std::map<int, bool> disabled;
  spec.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kSegmentForward},
          [&](const HookInfo&) {
            const std::lock_guard lock(mutex);
            if (++calls[parts.rank()] == 3 && parts.rank() == 1) throw std::runtime_error("its third call");
          },
          "fragile");
  };
  spec.finish = [&](RankParts& parts, Trainer&) {
    const std::lock_guard lock(mutex);
    disabled[parts.rank()] = parts.hooks.entries()[0].disabled;
  };
  const RunResult result = train(spec);
  expect_identical(without.arrays, result.arrays);
  EXPECT_EQ(timeless(without.metrics), timeless(result.metrics));
  EXPECT_EQ(calls[1], 3);
  EXPECT_EQ(calls[0], 14);  // 7 segments, 2 micro-batches: to the end of the first attempt
  EXPECT_TRUE(disabled[0] && disabled[1]);
  const auto decisions = decisions_of(result, "observer_disabled");
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].at("plugin"), "fragile");
  EXPECT_EQ(decisions[0].at("attempt"), 1);
  EXPECT_EQ(decisions[0].at("rank"), 1);
  EXPECT_EQ(decisions[0].at("hook"), "SEGMENT_FORWARD");
  EXPECT_EQ(decisions[0].at("cause"), "rank 1, SEGMENT_FORWARD: its third call");
}

// Every rank says the same of a failure, whoever failed, and with what.
TEST(Observers, AllRanksNameTheLowestRankThatFailed) {
  std::vector<std::string> named(3);
  std::string long_text = "12";
  for (int i = 0; i < 200; ++i) long_text += "中";
  run_thread_ranks(3, [&](Communicator& comm) {
    HookTable::Entry entry;
    entry.failed = comm.rank() > 0;
    if (entry.failed) entry.failed_in = comm.rank() == 1 ? "LOSS" : "STEP_END";
    if (entry.failed) entry.error = comm.rank() == 1 ? long_text : "another";
    const ObserverFailure failure = first_failure(entry, comm);
    named[size_t(comm.rank())] = std::to_string(failure.rank) + failure.hook + failure.error;
  });
  EXPECT_EQ(named[0], "1LOSS" + long_text.substr(0, 398));  // whole characters
  EXPECT_EQ(named[0], named[1]);
  EXPECT_EQ(named[0], named[2]);
}

// After the last VERDICT nobody votes or reduces any more: the failure is told all the same.
TEST(Observers, AFailureAtTheRunsEndIsTold) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 2;
  spec.prepare = [](RankParts& parts) {
    watch(parts, {Hook::kEpochEnd}, [&parts](const HookInfo&) {
      if (parts.rank() == 1) throw std::runtime_error("no disk");
    }, "fragile");
  };
  const auto decisions = decisions_of(train(spec), "observer_disabled");
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].at("cause"), "rank 1, EPOCH_END: no disk");
  EXPECT_EQ(decisions[0].at("step"), 2);
}

TEST(Observers, AnObserverThatFailsOnRankZeroIsNamedWithItsReason) {
  RunSpec spec;
  spec.options.steps = 2;
  spec.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kStepBegin}, [](const HookInfo&) { throw std::runtime_error("no disk"); }, "fragile");
  };
  const auto decisions = decisions_of(train(spec), "observer_disabled");
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].at("cause"), "rank 0, STEP_BEGIN: no disk");
}

TEST(Exchange, StepScalarsAreSummedOverRanksAndStartAnew) {
  RunSpec spec;
  spec.ranks = 3;
  spec.options.steps = 2;
  std::mutex mutex;
  std::vector<double> seen;
  spec.prepare = [&](RankParts& parts) {
    const int index = parts.services.scalars.add("mine");
    watch(parts, {Hook::kBatchReady}, [&parts, index](const HookInfo& info) {
      if (info.mode == Mode::kTrain && info.attempt == 1) parts.services.scalars.set(index, 1.5 + parts.rank());
    });
    watch(parts, {Hook::kVerdict}, [&](const HookInfo& info) {
      const std::lock_guard lock(mutex);
      seen.push_back(info.facts->scalars.at("mine"));
    });
  };
  train(spec);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<double>{0, 0, 0, 7.5, 7.5, 7.5}));
}

// A wish of one rank is carried out by all.
TEST(Exchange, RequestsOfOneRankHoldForAll) {
  const TemporaryFolder folder;
  RunSpec spec;
  spec.ranks = 2;
  spec.folder = folder.path();
  spec.options.checkpoint_every = 1000;
  spec.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kGradientsReduced}, [&parts](const HookInfo& info) {
      if (parts.rank() != 1) return;
      parts.services.requests.save = info.attempt == 2;
      parts.services.requests.evaluate = info.attempt == 3;
      parts.services.requests.stop = info.attempt == 4;
    });
  };
  const RunResult result = train(spec);
  EXPECT_EQ(result.outcome.state.step, 4);
  ASSERT_EQ(with(result.metrics, "eval_loss").size(), 1u);
  EXPECT_EQ(with(result.metrics, "eval_loss")[0].at("step"), 3);
  const auto saved = list_checkpoints(folder / "checkpoints");
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_EQ(saved[0].step, 2);
  EXPECT_EQ(saved[1].step, 4);  // a run that is stopped saves
}

// What a plugin publishes while a step is under way stands in that step's line.
TEST(Exchange, MetricsStandInTheirStepsLine) {
  RunSpec spec;
  spec.options.steps = 3;
  spec.prepare = [](RankParts& parts) {
    for (const Hook hook : {Hook::kBatchReady, Hook::kVerdict, Hook::kStepEnd}) {
      watch(parts, {hook}, [&parts](const HookInfo& info) {
        if (info.mode == Mode::kTrain) parts.services.metrics.publish(name_of(info.hook), double(info.attempt));
      });
    }
  };
  for (const auto& line : with(train(spec).metrics, "loss")) {
    for (const char* name : {"BATCH_READY", "VERDICT", "STEP_END"}) {
      EXPECT_EQ(line.value(name, -1.0), line.at("attempt").get<double>()) << name;
    }
  }
}

TEST(Exchange, RanksThatDriftApartAreNamed) {
  struct Drifting final : Precision {
    std::unique_ptr<Precision> inner = make_default_precision({});
    bool drifts = false;
    int calls = 0;
    std::string name() const override { return "drifting"; }
    DtypePlan plan(const ModelDeclaration& model) override { return inner->plan(model); }
    double scale() const override { return drifts && calls == 3 ? 2.0 : 1.0; }
    Vote judge(const StepFacts&) override {
      ++calls;
      return {};
    }
  };
  RunSpec spec;
  spec.ranks = 3;
  spec.prepare = [](RankParts& parts) {
    auto precision = std::make_unique<Drifting>();
    precision->drifts = parts.rank() == 2;
    parts.precision = std::move(precision);
  };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kComm);
  EXPECT_NE(thrown.message.find("rank 2 has drifted apart from rank 0"), std::string::npos) << thrown.message;
}

// One bit of one parameter on one rank: found within as many attempts as there are stretches to compare.
TEST(Exchange, ParametersThatDriftApartAreFound) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 30;
  spec.options.stable_every = 100;
  spec.prepare = [](RankParts& parts) {
    watch(parts, {Hook::kStepEnd}, [&parts](const HookInfo& info) {
      if (parts.rank() != 1 || info.attempt != 3) return;
      bool first = true;
      parts.residency->for_each_unit([&](UpdateUnit& unit) {
        if (std::exchange(first, false)) unit.master[0] = std::nextafter(unit.master[0], 2.0f);
      });
    });
  };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kComm);
  EXPECT_NE(thrown.message.find("rank 1 has drifted apart from rank 0"), std::string::npos) << thrown.message;
}

}  // namespace
}  // namespace sz::test
