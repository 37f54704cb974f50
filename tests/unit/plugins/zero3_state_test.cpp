// Stable states, checkpoints across rank counts, evaluation and generation of sharded runs.
#include "train/generator.h"
#include "unit/plugins/residency_drive.h"

namespace sz::test {
namespace {

const char* const kStage3 = "persist_threshold = 100";

RunSpec spec_of(int ranks, const std::string& folder) {
  RunSpec spec;
  spec.ranks = ranks;
  spec.folder = folder;
  spec.options.steps = 7;
  spec.options.checkpoint_every = 7;
  return spec;
}

TEST(Zero3State, CheckpointsGoFromFourRanksToSixToOne) {
  const TemporaryFolder four, six, one;
  const RunResult written = train_sharded(spec_of(4, four.path()), kStage3);
  RunSpec spec = spec_of(6, six.path());
  spec.resume = four / "checkpoints/step-7";
  expect_identical(written.arrays, train_sharded(spec, kStage3).arrays);  // nothing is left to do
  spec.options.steps = 8;
  const RunResult gone_on = train_sharded(spec, kStage3);
  spec = spec_of(1, one.path());
  spec.options.steps = 8;
  spec.resume = six / "checkpoints/step-8";
  const RunResult loaded = train_sharded(spec, kStage3);
  expect_identical(gone_on.arrays, loaded.arrays);
  EXPECT_GT(relative_difference(written.arrays, loaded.arrays), 0);
}

TEST(Zero3State, ReplicatedAndShardedRunsReadEachOthersCheckpoints) {
  const TemporaryFolder sharded, replicated;
  const RunResult written = train_sharded(spec_of(2, sharded.path()), kStage3);
  RunSpec spec = spec_of(3, replicated.path());
  spec.resume = sharded / "checkpoints/step-7";
  expect_identical(written.arrays, train(spec).arrays);
}

TEST(Zero3State, ResumeIsBitIdenticalToTheUninterruptedRun) {
  const TemporaryFolder whole, parts;
  RunSpec spec = spec_of(2, whole.path());
  spec.options.steps = 12;
  const RunResult uninterrupted = train_sharded(spec, kStage3);
  spec.folder = parts.path();
  spec.resume = whole / "checkpoints/step-7";
  expect_identical(uninterrupted.arrays, train_sharded(spec, kStage3).arrays);
}

TEST(Zero3State, RestoreBringsBackTheStableState) {
  for (const int stage : {1, 2, 3}) {
    DriveSpec spec;
    spec.shapes = {{40, 3}, {7}};
    spec.segments = {{0}, {1}};
    spec.keep_stable = true;
    spec.steps = 5;
    Arrays at_two;
    std::mutex mutex;
    spec.at = [&](const std::string& point, int step, Residency& residency, Communicator&) {
      if (point != "step") return;
      EXPECT_TRUE(residency.can_restore());
      if (step == 2) {
        residency.mark_stable();
        const std::lock_guard lock(mutex);
        export_into(residency, at_two);
      }
      if (step == 4) {
        residency.restore();
        const Arrays seen = replica_of(residency, declare(spec));
        EXPECT_EQ(seen.at("p0"), at_two.at("p0/master"));
      }
    };
    expect_identical(drive(spec, zero3("persist_threshold = 0\nstage = " + std::to_string(stage))).arrays, at_two);
  }
}

TEST(Zero3State, WithoutASnapshotThereIsNoWayBack) {
  DriveSpec spec;
  spec.shapes = {{4}};
  spec.segments = {{0}};
  spec.at = [](const std::string&, int, Residency& residency, Communicator&) {
    residency.mark_stable();
    EXPECT_FALSE(residency.can_restore());
  };
  drive(spec, zero3(""));
}

TEST(Zero3State, EvaluationIsTheReplicatedRuns) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 6;
  spec.options.eval_every = 2;
  const auto expected = with(train(spec).metrics, "eval_loss");
  const auto found = with(train_sharded(spec, kStage3).metrics, "eval_loss");
  ASSERT_GE(expected.size(), 3u);
  ASSERT_EQ(expected.size(), found.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i]["eval_loss"], found[i]["eval_loss"]);
}

std::vector<int64_t> generated(const std::string& keys, bool sharded, const std::string& decisions = "") {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 3;
  std::vector<std::vector<int64_t>> tokens(2);
  spec.finish = [&](RankParts& parts, Trainer& trainer) {
    GenerateOptions options;
    options.tokens = 12;
    tokens[size_t(parts.rank())] = generate(trainer.runner(), *parts.residency, parts.model, {1, 2, 3}, options);
  };
  sharded ? train_sharded(spec, keys, "", decisions) : train(spec);
  EXPECT_EQ(tokens[0], tokens[1]);
  return tokens[0];
}

TEST(Zero3State, GenerationHoldsAllWhereItFitsElseGoesUnitByUnit) {
  const TemporaryFolder folder;
  const std::vector<int64_t> expected = generated("", false);
  ASSERT_EQ(expected.size(), 12u);
  EXPECT_EQ(generated("persist_threshold = 0", true, folder / "held.jsonl"), expected);
  RankPlugins::memory_limit = 1;  // byte: nothing fits
  EXPECT_EQ(generated("persist_threshold = 0", true, folder / "tight.jsonl"), expected);
  RankPlugins::memory_limit = 0;
  EXPECT_NE(slurp(folder / "held.jsonl").find("\"hold_all\""), std::string::npos);
  EXPECT_NE(slurp(folder / "tight.jsonl").find("\"unit_by_unit\""), std::string::npos);
}

TEST(Zero3State, MatrixWiseOptimizersAreRefused) {
  run_thread_ranks(1, [](Communicator& comm) {
    RankParts parts;
    parts.comm = &comm;
    DriveSpec spec;
    spec.shapes = {{4}};
    spec.segments = {{0}};
    parts.model = declare(spec);
    use_plugins(parts, zero3_toml(""));
    Residency::Setup setup;
    setup.model = &parts.model;
    setup.dtypes.parameters.resize(1);
    setup.dtypes.segments.resize(1);
    setup.comm = &comm;
    setup.optimizer_element_wise = false;
    try {
      parts.residency->build(setup);
      ADD_FAILURE() << "it was taken";
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::kUsage);
      EXPECT_NE(std::string(e.what()).find("whole matrices"), std::string::npos) << e.what();
    }
  });
}

}  // namespace
}  // namespace sz::test
