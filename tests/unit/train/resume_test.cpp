// A run that was stopped and resumed is the run that was never stopped.
#include <gtest/gtest.h>

#include "unit/train/training.h"

namespace sz::test {
namespace {

RunSpec spec_of(int ranks, const std::string& folder) {
  RunSpec spec;
  spec.ranks = ranks;
  spec.folder = folder;
  spec.options.accumulation = 2;
  spec.options.eval_every = 5;
  spec.options.checkpoint_every = 7;
  spec.schedule.decay_type = "cosine";
  spec.schedule.warmup_steps = 4;
  return spec;
}

void stop_after(RankParts& parts, int64_t attempt) {
  watch(parts, {Hook::kGradientsReduced}, [&parts, attempt](const HookInfo& info) {
    parts.services.requests.stop = info.attempt == attempt;
  });
}

void expect_resume_equals(int ranks) {
  const TemporaryFolder whole_folder, cut_folder;
  const RunResult whole = train(spec_of(ranks, whole_folder.path()));

  RunSpec cut = spec_of(ranks, cut_folder.path());
  cut.prepare = [](RankParts& parts) { stop_after(parts, 7); };
  const RunResult first = train(cut);
  EXPECT_EQ(first.outcome.state.step, 7);
  EXPECT_GT(relative_difference(whole.arrays, first.arrays), 1e-4);
  cut.prepare = nullptr;
  cut.resume = find_resume(cut_folder / "checkpoints", "auto");
  ASSERT_EQ(cut.resume, cut_folder / "checkpoints/step-7");
  const RunResult resumed = train(cut);

  EXPECT_EQ(resumed.outcome.state.step, 20);
  expect_identical(whole.arrays, resumed.arrays);
  EXPECT_EQ(timeless(whole.metrics), timeless(resumed.metrics));
  EXPECT_EQ(whole.decisions, resumed.decisions);
}

TEST(Resume, OneRankEqualsTheUninterruptedRun) { expect_resume_equals(1); }
TEST(Resume, TwoRanksEqualTheUninterruptedRun) { expect_resume_equals(2); }

// What a resumed run tells is what the run would have told that was never stopped: no epoch begins or ends twice.
TEST(Resume, ItsEventsFollowThoseOfTheStoppedRun) {
  std::vector<std::string> trace;
  const auto record = [&](RankParts& parts) {
    watch(parts, {Hook::kEpochBegin, Hook::kStepBegin, Hook::kEvalBegin, Hook::kCheckpointSaved, Hook::kEpochEnd},
          [&](const HookInfo& info) {
            trace.push_back(std::string(name_of(info.hook)) + " " + std::to_string(info.epoch) + "@" +
                            std::to_string(info.step));
          });
  };
  const TemporaryFolder whole_folder, cut_folder;
  RunSpec whole = spec_of(1, whole_folder.path());  // 13 plans an epoch
  whole.prepare = record;
  train(whole);
  const std::vector<std::string> expected = std::exchange(trace, {});
  for (const char* once : {"EPOCH_BEGIN 0@0", "EPOCH_END 0@13", "EPOCH_BEGIN 1@13", "EPOCH_END 1@20"}) {
    EXPECT_EQ(std::count(expected.begin(), expected.end(), once), 1) << once;
  }
  RunSpec cut = spec_of(1, cut_folder.path());
  cut.prepare = [&](RankParts& parts) {
    record(parts);
    stop_after(parts, 7);
  };
  train(cut);
  cut.prepare = record;
  cut.resume = find_resume(cut_folder / "checkpoints", "auto");
  train(cut);
  EXPECT_EQ(trace, expected);
}

// At the end of a run, and where it is stopped, what is saved is the stable state: a roll back would stay there.
TEST(Resume, TheLastCheckpointIsTheStableState) {
  for (const int64_t stop : {int64_t(0), int64_t(5)}) {
    const TemporaryFolder folder;
    RunSpec spec = spec_of(1, folder.path());
    spec.options.steps = 9;
    spec.options.checkpoint_every = 1000;
    std::vector<int64_t> saved;
    spec.prepare = [&](RankParts& parts) {
      if (stop > 0) stop_after(parts, stop);
      watch(parts, {Hook::kCheckpointSaved}, [&](const HookInfo& info) { saved.push_back(info.step); });
    };
    Arrays stable;
    spec.finish = [&](RankParts& parts, Trainer&) {
      parts.residency->restore();
      export_into(*parts.residency, stable);
    };
    const RunResult result = train(spec);
    EXPECT_EQ(saved, std::vector<int64_t>{stop > 0 ? stop : 9});
    const auto reader = CheckpointReader::open(find_resume(folder / "checkpoints", "auto"));
    for (const auto& [name, values] : stable) {
      const size_t slash = name.rfind('/');
      std::vector<float> written(values.size());
      reader.read(name.substr(0, slash), name.substr(slash + 1), 0, int64_t(values.size()), written.data());
      EXPECT_EQ(written, values) << name;
    }
    const auto told = decisions_of(result, "stable_state");
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].at("to"), 0);
    EXPECT_EQ(told[0].at("cause"), "the run begins");
    EXPECT_EQ(told[1].at("to"), saved[0]);
    EXPECT_EQ(told[1].at("cause"), stop > 0 ? "the run is asked to stop" : "the run is at its end");
  }
}

TEST(Resume, TheLastCheckpointNeedsNoSnapshot) {
  const TemporaryFolder folder;
  RunSpec spec = spec_of(1, folder.path());
  spec.options.keep_stable = false;
  spec.options.steps = 5;
  spec.finish = [](RankParts& parts, Trainer&) { EXPECT_FALSE(parts.residency->can_restore()); };
  const RunResult result = train(spec);
  EXPECT_TRUE(decisions_of(result, "stable_state").empty());
  EXPECT_EQ(list_checkpoints(folder / "checkpoints").size(), 1u);
}

// Step 7 ends the epoch: its evaluation and EPOCH_END are neither lost nor done twice.
TEST(Resume, AStopAtAnEpochsEndEndsTheEpochOnce) {
  const TemporaryFolder folder;
  RunSpec spec = spec_of(1, folder.path());
  spec.options.accumulation = 4;
  std::vector<std::string> trace;
  const auto record = [&](RankParts& parts) {
    watch(parts, {Hook::kEpochBegin, Hook::kEvalBegin, Hook::kCheckpointSaved, Hook::kEpochEnd},
          [&](const HookInfo& info) {
            trace.push_back(std::string(name_of(info.hook)) + " " + std::to_string(info.epoch) + "@" +
                            std::to_string(info.step));
          });
  };
  spec.options.eval_every = 0;
  spec.prepare = [&](RankParts& parts) {
    record(parts);
    stop_after(parts, 7);
  };
  train(spec);
  trace.push_back("stopped");
  spec.resume = folder / "checkpoints/step-7";
  spec.options.steps = 8;
  spec.prepare = record;
  train(spec);
  EXPECT_EQ(trace, (std::vector<std::string>{"EPOCH_BEGIN 0@0", "EVAL_BEGIN 0@7", "CHECKPOINT_SAVED 0@7", "stopped",
                                             "EPOCH_END 0@7", "EPOCH_BEGIN 1@7", "EVAL_BEGIN 1@8",
                                             "CHECKPOINT_SAVED 1@8", "EPOCH_END 1@8"}));
}

// Lost after step 9, resumed from step 7: steps 8 and 9 stand in the metrics once.
TEST(Resume, ALostRunRepeatsWhatItHadNotSaved) {
  const TemporaryFolder whole_folder, lost_folder;
  const RunResult whole = train(spec_of(2, whole_folder.path()));
  RunSpec lost = spec_of(2, lost_folder.path());
  lost.prepare = [](RankParts& parts) {
    struct Failing final : Wrapper {
      std::string name() const override { return "failing"; }
      bool wraps(Hook hook) const override { return hook == Hook::kOptimizerStep; }
      void optimizer_step(const HookInfo& info, const Next& next) override {
        if (info.attempt == 10) throw Error(Exit::kExhausted, "no memory is left");
        next();
      }
    };
    parts.hooks.wrap(std::make_shared<Failing>());
  };
  EXPECT_EQ(thrown_by([&] { train(lost); }).exit, Exit::kExhausted);
  lost.prepare = nullptr;
  lost.resume = find_resume(lost_folder / "checkpoints", "auto");
  const RunResult resumed = train(lost);
  expect_identical(whole.arrays, resumed.arrays);
  EXPECT_EQ(timeless(whole.metrics), timeless(resumed.metrics));
}

TEST(Resume, AnotherModelIsRefusedByName) {
  const TemporaryFolder folder;
  RunSpec spec = spec_of(1, folder.path());
  spec.options.steps = 7;
  train(spec);
  spec.resume = folder / "checkpoints/step-7";
  spec.model.width = 16;
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kUsage);
  EXPECT_NE(thrown.message.find("'embedding.token' has shape [97, 32]"), std::string::npos) << thrown.message;
}

// Written by one rank, read by two: the same state.
TEST(Resume, AnotherNumberOfRanksGoesOnFromTheSameState) {
  const TemporaryFolder folder;
  RunSpec spec = spec_of(1, folder.path());
  spec.options.steps = 7;
  spec.options.accumulation = 4;
  const RunResult saved = train(spec);
  spec.resume = folder / "checkpoints/step-7";
  spec.ranks = 2;
  spec.options.accumulation = 2;
  const RunResult loaded = train(spec);  // nothing is left to do
  expect_identical(saved.arrays, loaded.arrays);
  expect_replicas_identical(loaded);
}

// How many attempts in a row were good is part of the state: the next checkpoint need not wait for three more.
TEST(Resume, TheNextCheckpointDoesNotWait) {
  const TemporaryFolder folder;
  RunSpec spec = spec_of(1, folder.path());
  spec.options.checkpoint_every = 1;
  spec.options.checkpoint_keep = 50;
  spec.options.steps = 10;
  spec.prepare = [](RankParts& parts) { stop_after(parts, 5); };
  train(spec);
  spec.resume = find_resume(folder / "checkpoints", "auto");
  train(spec);
  EXPECT_EQ(list_checkpoints(folder / "checkpoints").size(), 10u);
}

// Another global batch: the data goes on at the next sample, in the epoch that was under way.
TEST(Resume, AnotherGlobalBatchGoesOnAtTheSameSample) {
  for (const int64_t stop : {20, 51}) {  // of 50 samples, one a plan: within the first epoch, and at the second's start
    const TemporaryFolder folder;
    RunSpec spec = spec_of(1, folder.path());
    spec.options.steps = 100;
    spec.options.eval_every = 0;
    spec.options.micro_batch = spec.options.accumulation = 1;
    spec.prepare = [stop](RankParts& parts) { stop_after(parts, stop); };
    train(spec);
    spec.resume = find_resume(folder / "checkpoints", "auto");
    spec.options.steps = stop + 8;
    spec.options.micro_batch = 8;
    std::vector<uint64_t> positions;
    std::vector<std::string> epochs;
    spec.prepare = [&](RankParts& parts) {
      watch(parts, {Hook::kBatchReady, Hook::kEpochBegin, Hook::kEpochEnd}, [&](const HookInfo& info) {
        if (info.hook != Hook::kBatchReady) epochs.push_back(name_of(info.hook) + std::to_string(info.epoch));
        if (!info.plan) return;
        for (const PlanItem& item : *info.plan) positions.push_back(item.position);
      });
    };
    train(spec);
    for (size_t i = 0; i < positions.size(); ++i) ASSERT_EQ(positions[i], uint64_t(stop) + i);
    if (stop == 20) {
      EXPECT_EQ(epochs, (std::vector<std::string>{"EPOCH_END0", "EPOCH_BEGIN1", "EPOCH_END1"}));
    } else {
      EXPECT_EQ(epochs, (std::vector<std::string>{"EPOCH_END1", "EPOCH_BEGIN2", "EPOCH_END2"}));
    }
  }
}

TEST(Resume, OldCheckpointsArePruned) {
  const TemporaryFolder folder;
  RunSpec spec = spec_of(1, folder.path());
  spec.options.checkpoint_every = 3;
  spec.options.checkpoint_keep = 2;
  train(spec);
  const auto kept = list_checkpoints(folder / "checkpoints");
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].step, 18);
  EXPECT_EQ(kept[1].step, 20);  // the last state is saved at the end of the run
}

}  // namespace
}  // namespace sz::test
