// What plugins/selective_recompute holds, chooses and reports in whole runs.
#include <gmock/gmock.h>

#include "ops/allocator.h"
#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

const bool kCounted = (install_allocator(), true);  // before the first tensor

// --- memory, from the allocator ----------------------------------------------------------------------------------

struct Memory {
  double activations = 0;  // live after forward, before backward, beyond what lived before forward
  double peak = 0;         // during backward, beyond the same
};

// Of the third step: gradients and optimizer state have their memory by then.
Memory memory_with(const std::string& plugins, RunSpec spec = large_spec()) {
  Memory memory;
  const auto prepare = spec.prepare;
  spec.prepare = [&memory, prepare](RankParts& parts) {
    if (prepare) prepare(parts);
    auto base = std::make_shared<double>(-1);
    watch(parts, {Hook::kStepBegin, Hook::kBatchReady, Hook::kLoss, Hook::kGradientsReduced},
          [&memory, base](const HookInfo& at) {
            if (at.hook == Hook::kStepBegin && at.attempt == 3) *base = 0;
            if (*base < 0) return;  // other steps, and evaluation
            if (at.hook == Hook::kBatchReady) *base = double(allocator_stats().live_bytes);
            if (at.hook == Hook::kLoss) {
              memory.activations = double(allocator_stats().live_bytes) - *base;
              reset_peak();
            }
            if (at.hook == Hook::kGradientsReduced) {
              memory.peak = double(allocator_stats().peak_bytes) - *base;
              *base = -1;
            }
          });
  };
  plugins.empty() ? train(spec) : train_with(spec, plugins);
  return memory;
}

TEST(RecomputeMemory, PoliciesHoldLessDuringBackward) {
  ASSERT_TRUE(kCounted);
  const Memory off = memory_with("");
  ASSERT_GT(off.activations, 0);
  const auto with_policy = [](const char* policy) {
    return memory_with(recompute(std::string("policy = \"") + policy + "\""));
  };
  const Memory all = with_policy("all"), half = with_policy("after_first_dropout"), cheap = with_policy("cheap");
  // A block holds 16 widths a token: x, norm, qkv 3, mixed, x, norm, up 4, activation 4. "all" leaves 2, "cheap" 10,
  // the default 7. Embedding, final norm and the loss's gradients come on top of all of them.
  EXPECT_LE(all.activations, 0.35 * off.activations);
  EXPECT_LE(half.activations, 0.60 * off.activations);
  EXPECT_LE(cheap.activations, 0.75 * off.activations);
  EXPECT_LE(all.peak, 0.55 * off.peak);
  EXPECT_LE(half.peak, 0.75 * off.peak);
  EXPECT_LE(cheap.peak, 0.80 * off.peak);
  EXPECT_LT(all.activations, half.activations);
  EXPECT_LT(half.activations, cheap.activations);
}

TEST(RecomputeMemory, ChunksOfRowsLowerTheTransientPeak) {
  const Memory whole = memory_with(recompute("policy = \"all\""));
  const Memory sliced = memory_with(recompute("policy = \"all\"\nslices = 4"));
  EXPECT_LE(sliced.activations, whole.activations);
  EXPECT_LE(sliced.peak, 0.85 * whole.peak);
}

TEST(RecomputeMemory, OffloadedBoundariesAreGoneBeforeBackwardBegins) {
  const TemporaryFolder folder;
  const Memory all = memory_with(recompute_policy("all"));
  const Memory away = memory_with(recompute("policy = \"all\"\noffload = \"host\"\noffload_path = \"" +
                                            folder.path() + "\""));
  // 13 boundaries of the same size, of which the last segments' stay.
  EXPECT_LE(away.activations, 0.5 * all.activations);
  EXPECT_LT(away.peak, all.peak);
}

// Hands on a view of something 64 times as large.
class ViewSegment final : public WrappedSegment {
 public:
  using WrappedSegment::WrappedSegment;
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    const at::Tensor y = WrappedSegment::forward(context, parameters, inputs, nullptr)[0];
    return {y.unsqueeze(0).expand({64, -1, -1, -1}).contiguous().select(0, 63)};
  }
  bool has_backward() const override { return false; }
  int save_levels() const override { return 0; }
};

TEST(RecomputeMemory, AViewDoesNotKeepItsBaseAlive) {
  RunSpec spec = large_spec();
  const Memory plain = memory_with(recompute("policy = \"all\""), spec);
  spec.prepare = [](RankParts& parts) {
    auto& segment = parts.model.segments[2].segment;
    segment = std::make_shared<ViewSegment>(segment);
  };
  EXPECT_LE(memory_with(recompute("policy = \"all\""), spec).activations, 1.01 * plain.activations);
}

// --- decisions and budget ----------------------------------------------------------------------------------------

std::vector<nlohmann::json> of_kind(const std::vector<nlohmann::json>& lines, const std::string& what) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& line : lines) {
    if (line.at("what") == what) found.push_back(line);
  }
  return found;
}

TEST(RecomputeDecisions, EachSegmentAtStartAndWhatWasMeasured) {
  const TemporaryFolder folder;
  const std::string path = folder / "decisions.jsonl";
  train_with(RunSpec(), recompute(""), path);
  const auto lines = json_lines(path);
  const auto start = of_kind(lines, "activations"), measured = of_kind(lines, "activations_measured");
  ASSERT_EQ(start.size(), 7u);
  for (const nlohmann::json& line : start) {
    const std::string segment = line.at("segment");
    const bool again = segment.find(".mlp") != std::string::npos;
    EXPECT_EQ(line.at("to"), again ? "recomputed" : "kept") << segment;
    EXPECT_EQ(line.at("cause"), "policy after_first_dropout");
    EXPECT_GT(line.at("held_bytes").get<int64_t>(), 0) << segment;
    EXPECT_EQ(line.at("expected_cost_percent").get<double>() > 0, again);
    EXPECT_EQ(line.at("expected_given_back_bytes").get<int64_t>() > 0, again);
  }
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].at("kind"), "block.#.mlp");
  EXPECT_EQ(measured[0].at("segments"), 2);
  EXPECT_GT(measured[0].at("given_back_bytes").get<int64_t>(), 0);
  EXPECT_GT(measured[0].at("cost_microseconds").get<double>(), 0);
}

TEST(RecomputeDecisions, WhatIsExpectedOfShapesIsWhatIsGivenBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "decisions.jsonl";
  RunSpec spec = large_spec();
  spec.options.steps = 12;
  for (auto& sample : const_cast<MemorySource&>(static_cast<const MemorySource&>(*spec.source)).samples(Split::kTrain)) {
    sample.tokens.ids.resize(64, 1);
    sample.tokens.labels.resize(64, 1);
    sample.tokens.mask.resize(64, 1.0f);
  }
  train_with(spec, recompute("policy = \"all\""), path);
  const auto lines = json_lines(path);
  std::map<std::string, double> expected;
  for (const auto& line : of_kind(lines, "activations")) {
    expected[line.at("segment")] = line.at("expected_given_back_bytes");
  }
  for (const auto& line : of_kind(lines, "activations_measured")) {
    const std::string kind = line.at("kind");
    if (kind.rfind("block", 0) != 0) continue;
    const double guess = expected.at(kind == "block.#.mlp" ? "block.0.mlp" : "block.0.attention");
    EXPECT_NEAR(line.at("given_back_bytes").get<double>(), guess, 0.1 * guess) << kind;
  }
}

// Segments run again after the choice, by rank; decisions go to `path`.
std::vector<std::shared_ptr<Counts>> run_with_budget(RunSpec spec, const std::string& path) {
  std::mutex mutex;
  std::vector<std::shared_ptr<Counts>> counts(size_t(spec.ranks));
  spec.options.steps = 16;
  const RunResult off = train(spec);
  spec.prepare = [&](RankParts& parts) {
    const std::lock_guard lock(mutex);
    auto own = std::make_shared<Counts>();
    counts[size_t(parts.rank())] = own;
    count(parts, *own);
    watch(parts, {Hook::kStepBegin}, [own](const HookInfo& at) {
      if (at.attempt == 13) own->clear();
    });
  };
  expect_same_run(train_with(spec, recompute("policy = \"budget\"\nmemory_mb = 2.0"), path), off);
  return counts;
}

int run_again(const Counts& counts) {
  int again = 0;
  for (const auto& [what, number] : counts) again += what.second == Mode::kRecompute;
  return again;
}

TEST(RecomputeBudget, AllRanksTakeRankZerosChoice) {
  const TemporaryFolder folder;
  RunSpec spec = large_spec();
  spec.ranks = 2;
  const auto counts = run_with_budget(spec, folder / "decisions.jsonl");
  EXPECT_EQ(*counts[0], *counts[1]);
  EXPECT_GT(run_again(*counts[0]), 0);
  EXPECT_EQ(of_kind(json_lines(folder / "decisions.jsonl"), "budget").size(), 1u);
}

// On one rank: the bytes are measured by the process's allocator, which ranks that are threads share.
TEST(RecomputeBudget, IsMetByRunningSomeAgain) {
  const TemporaryFolder folder;
  const auto counts = run_with_budget(large_spec(), folder / "decisions.jsonl");
  const auto budget = of_kind(json_lines(folder / "decisions.jsonl"), "budget");
  ASSERT_EQ(budget.size(), 1u);
  EXPECT_TRUE(budget[0].at("fits").get<bool>());
  EXPECT_LE(budget[0].at("held_bytes").get<int64_t>(), 2 << 20);
  EXPECT_GT(run_again(*counts[0]), 0);   // 2 MiB are less than everything
  EXPECT_LT(run_again(*counts[0]), 13);  // and more than nothing
}

TEST(RecomputeBudget, OneThatCannotBeMetSaysSo) {
  const TemporaryFolder folder;
  const std::string path = folder / "decisions.jsonl";
  train_with(RunSpec(), recompute("policy = \"budget\"\nmemory_mb = 0.001"), path);
  const auto budget = of_kind(json_lines(path), "budget");
  ASSERT_EQ(budget.size(), 1u);
  EXPECT_FALSE(budget[0].at("fits").get<bool>());
}

}  // namespace
}  // namespace sz::test
