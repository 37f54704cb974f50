// What plugins/selective_recompute holds in whole runs, from the allocator.
#include <sys/resource.h>

#include <csignal>

#include <gmock/gmock.h>

#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;

std::string offload_to(const TemporaryFolder& folder) {
  return "\noffload = \"host\"\noffload_path = \"" + folder.path() + "\"";
}

TEST(RecomputeMemory, PoliciesHoldLessDuringBackward) {
  ASSERT_TRUE(kCounted);
  const Memory off = memory_with("", large_spec());
  ASSERT_GT(off.activations, 0);
  const auto with_policy = [](const char* policy) { return memory_with(recompute_policy(policy), large_spec()); };
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
  const Memory whole = memory_with(recompute("policy = \"all\""), large_spec());
  const Memory sliced = memory_with(recompute("policy = \"all\"\nslices = 4"), large_spec());
  EXPECT_LE(sliced.activations, whole.activations);
  EXPECT_LE(sliced.peak, 0.85 * whole.peak);
}

// --- views that cross a boundary -------------------------------------------------------------------------------------

// Hands on a view of something `times` as large; with the backward of what it wraps, or by autograd.
class ViewSegment final : public WrappedSegment {
 public:
  ViewSegment(std::shared_ptr<const Segment> inner, int64_t times, bool autograd)
      : WrappedSegment(std::move(inner)), times_(times), autograd_(autograd) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    const at::Tensor y = WrappedSegment::forward(context, parameters, inputs, saved)[0];
    return {y.unsqueeze(0).expand({times_, -1, -1, -1}).contiguous().select(0, times_ - 1)};
  }
  bool has_backward() const override { return !autograd_; }
  int save_levels() const override { return autograd_ ? 0 : WrappedSegment::save_levels(); }

 private:
  int64_t times_;
  bool autograd_;
};

double activations_with_view(const std::string& plugins, int64_t times, bool autograd) {
  RunSpec spec = large_spec();
  spec.prepare = [=](RankParts& parts) {
    auto& segment = parts.model.segments[1];
    ASSERT_EQ(segment.name, "block.0.attention");
    segment.segment = std::make_shared<ViewSegment>(segment.segment, times, autograd);
  };
  return memory_with(plugins, spec).activations;
}

// The segment is recomputed by the first ones, kept whole or but for what is cheap by the others.
TEST(RecomputeMemory, AViewDoesNotKeepItsBaseAlive) {
  for (const std::string& plugins :
       {recompute_policy("all"), recompute_policy("every_n"), recompute("policy = \"budget\"\nmemory_mb = 1.0"),
        recompute("policy = \"list\"\nsegments = [\"*.mlp\"]"), recompute_policy("cheap"),
        recompute_policy("after_first_dropout"), std::string()}) {
    for (const bool autograd : {false, true}) {
      const double plain = activations_with_view(plugins, 1, autograd);
      EXPECT_LE(activations_with_view(plugins, 64, autograd), 1.01 * plain) << plugins << (autograd ? "autograd" : "");
    }
  }
}

// --- boundaries in a file --------------------------------------------------------------------------------------------

TEST(RecomputeMemory, OffloadedBoundariesAreGoneBeforeBackwardBegins) {
  const TemporaryFolder folder;
  const Memory all = memory_with(recompute_policy("all"), large_spec());
  const Memory away = memory_with(recompute("policy = \"all\"" + offload_to(folder)), large_spec());
  // 13 boundaries of the same size, of which the last segments' stay.
  EXPECT_LE(away.activations, 0.5 * all.activations);
  EXPECT_LT(away.peak, all.peak);
}

nlohmann::json budget_with(const RunSpec& spec, const std::string& keys) {
  const auto said = of_kind(decisions_with(kFp32, spec, "policy = \"budget\"\n" + keys), "budget");
  EXPECT_EQ(said.size(), 1u);
  return said.empty() ? nlohmann::json() : said[0];
}

// A budget that can be met because boundaries leave for the file.
TEST(RecomputeMemory, ABudgetCountsWhatOffloadTakesAway) {
  const TemporaryFolder folder;
  RunSpec spec = large_spec();
  fill_rows(spec);
  spec.options.steps = 12;
  const double least = budget_with(spec, "memory_mb = 0.0001").at("held_bytes");
  const std::string keys = "memory_mb = " + std::to_string(0.8 * least / (1 << 20));
  EXPECT_FALSE(budget_with(spec, keys).at("fits").get<bool>());
  const nlohmann::json away = budget_with(spec, keys + offload_to(folder));
  EXPECT_TRUE(away.at("fits").get<bool>());
  EXPECT_LE(away.at("held_bytes").get<double>(), 0.8 * least);
  const Memory memory = memory_with(recompute("policy = \"budget\"\n" + keys + offload_to(folder)), spec, 14);
  EXPECT_LE(memory.activations, 0.82 * least);
}

Thrown thrown_with(const std::string& keys) {
  return thrown_by([&] { train_with(large_spec(), recompute(keys)); });
}

// A limit on the size of files makes writes fail as a full disk does.
TEST(RecomputeOffload, AFullDiskEndsTheRunAsExhausted) {
  const TemporaryFolder folder;
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 200'000;  // three boundaries
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Thrown thrown = thrown_with("policy = \"all\"" + offload_to(folder));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(thrown.exit, Exit::kExhausted) << thrown.message;
  EXPECT_THAT(thrown.message, HasSubstr("writing failed"));
  EXPECT_THAT(thrown.message, HasSubstr("free some space"));
}

TEST(RecomputeOffload, AFolderThatIsNotThereIsTheConfigurationsFault) {
  const Thrown thrown = thrown_with("offload = \"host\"\noffload_path = \"/nowhere\"");
  EXPECT_EQ(thrown.exit, Exit::kUsage) << thrown.message;
  EXPECT_THAT(thrown.message, HasSubstr("/nowhere"));
  EXPECT_THAT(thrown.message, HasSubstr("offload_path"));
}

}  // namespace
}  // namespace sz::test
