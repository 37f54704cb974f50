// Faults that were reported of other sharding runtimes, each beside the replicated residency.
#include "unit/plugins/residency_drive.h"

namespace sz::test {
namespace {

std::string stage(int number) { return "stage = " + std::to_string(number) + "\npersist_threshold = 0\nverify = true"; }

// Bit-identical where sums of two ranks leave no choice, else within rounding.
void expect_like_replicated(const DriveSpec& spec) {
  const DriveResult expected = drive_replicated(spec);
  for (const int number : {1, 2, 3}) {
    SCOPED_TRACE("stage " + std::to_string(number) + " on " + std::to_string(spec.ranks) + " ranks");
    const DriveResult found = drive(spec, zero3(stage(number)));
    if (spec.ranks <= 2 && spec.micro_batches == 1) {
      expect_identical(expected.arrays, found.arrays);
      EXPECT_EQ(expected.norms, found.norms);
      continue;
    }
    EXPECT_LT(relative_difference(expected.arrays, found.arrays), 1e-6);
    for (size_t i = 0; i < expected.norms.size(); ++i) {
      EXPECT_NEAR(found.norms[i], expected.norms[i], 1e-6 * expected.norms[i]);
    }
  }
}

// Two blocks, a tied parameter between the first and the last segment, odd shapes.
DriveSpec tied_model(int ranks) {
  DriveSpec spec;
  spec.ranks = ranks;
  spec.shapes = {{97, 5}, {5, 15}, {15}, {7, 3, 2}, {1}, {33, 5}};
  spec.segments = {{0, 4}, {1, 2}, {3}, {5, 0}};
  spec.head = {0};
  return spec;
}

TEST(Zero3Faults, FiftySevenParametersOverTwoRanks) {
  DriveSpec spec;
  spec.shapes = {{57}};
  spec.segments = {{0}};
  expect_like_replicated(spec);
  spec.shapes = std::vector<std::vector<int64_t>>(57, {3});
  spec.segments = {{}, {}};
  for (int p = 0; p < 57; ++p) spec.segments[size_t(p % 2)].push_back(p);
  expect_like_replicated(spec);
}

TEST(Zero3Faults, ParametersSmallerThanTheRankCount) {
  DriveSpec spec;
  spec.shapes = {{1}, {3}, {2, 1}};
  spec.segments = {{0, 1}, {2}};
  for (const int ranks : {2, 4, 5}) {
    spec.ranks = ranks;
    expect_like_replicated(spec);
  }
}

TEST(Zero3Faults, VocabularyNotDivisibleByRanksWithATiedEmbedding) {
  for (const int ranks : {2, 3, 4}) expect_like_replicated(tied_model(ranks));
}

TEST(Zero3Faults, AlternateBranchEveryOtherStep) {
  DriveSpec spec = tied_model(2);
  spec.steps = 4;
  spec.used = [](int p, int, int step) { return p != 1 || step % 2 == 0; };
  expect_like_replicated(spec);
}

TEST(Zero3Faults, FourBackwardsAStep) {
  DriveSpec spec = tied_model(2);
  spec.micro_batches = 4;
  expect_like_replicated(spec);
}

TEST(Zero3Faults, AParameterUsedOnOneRankOnly) {
  DriveSpec spec = tied_model(2);
  spec.used = [](int p, int rank, int) { return p != 3 || rank == 1; };
  expect_like_replicated(spec);
}

TEST(Zero3Faults, UnusedAndFrozenParameters) {
  DriveSpec spec = tied_model(3);
  spec.frozen = {1, 4};
  spec.used = [](int p, int, int) { return p != 5; };
  expect_like_replicated(spec);
}

TEST(Zero3Faults, SmallParametersStayWhole) {
  const DriveSpec spec = tied_model(2);
  const DriveResult expected = drive_replicated(spec);
  for (const char* threshold : {"1", "42", "165", "1000000"}) {
    expect_identical(expected.arrays, drive(spec, zero3(std::string("persist_threshold = ") + threshold)).arrays);
  }
}

// Masters and optimizer state in fp32, half precision where segments see them.
TEST(Zero3Faults, MixedDtypes) {
  DriveSpec spec = tied_model(2);
  for (const DType compute : {DType::kBF16, DType::kF16}) {
    spec.dtypes.compute = compute;
    expect_like_replicated(spec);
  }
}

TEST(Zero3Faults, HiddenSizeFour) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 5;
  spec.model.width = 4;
  const RunResult expected = train(spec);
  for (const int number : {1, 2, 3}) expect_identical(expected.arrays, train_sharded(spec, stage(number)).arrays);
}

// Resumed with another seed: frozen weights come from the checkpoint, not from the seed.
TEST(Zero3Faults, FrozenWeightsAreRestoredOnResume) {
  const TemporaryFolder folder;
  RunSpec spec;
  spec.ranks = 2;
  spec.folder = folder.path();
  spec.options.steps = 4;
  spec.options.checkpoint_every = 4;
  spec.prepare = [](RankParts& parts) {
    for (ParameterDeclaration& p : parts.model.parameters) p.trainable = p.name.find("mlp") == std::string::npos;
  };
  const RunResult saved = train_sharded(spec, stage(3));
  spec.resume = folder / "checkpoints/step-4";
  spec.options.seed = 99;
  const RunResult loaded = train_sharded(spec, stage(3));
  expect_identical(saved.arrays, loaded.arrays);
  expect_identical(saved.replicas[0], loaded.replicas[1]);
  size_t frozen = 0;
  for (const auto& [name, values] : loaded.arrays) {
    if (name.find("mlp") == std::string::npos) continue;
    EXPECT_NE(name.find("/master"), std::string::npos) << "a frozen parameter has optimizer state: " << name;
    ++frozen;
  }
  EXPECT_GT(frozen, 0u);
}

}  // namespace
}  // namespace sz::test
