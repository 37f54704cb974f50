// Whole runs with plugins/selective_recompute in chunks of rows.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;

// By how much the parameters of 10 steps may differ, relative to their norm. In 16 bits each chunk's gradients are
// rounded, where those of all rows together are rounded once.
double tolerance(const Arithmetic& arithmetic) {
  if (arithmetic.name == "fp32") return 1e-6;
  return arithmetic.name.find("bf16") != std::string::npos ? 5e-4 : 1e-4;
}

class Slices : public testing::TestWithParam<Arithmetic> {
 protected:
  static RunSpec spec() {
    RunSpec spec;
    spec.options.micro_batch = 5;  // not even
    spec.options.accumulation = 2;
    spec.options.steps = 10;
    return spec;
  }
  static RunResult run(const RunSpec& spec, const std::string& keys) {
    return train_in(GetParam(), spec, keys.empty() ? "" : recompute(keys));
  }
  static void expect_close(const RunResult& on, const RunResult& off) {
    ASSERT_EQ(on.outcome.state.step, 10);
    EXPECT_LE(relative_difference(off.arrays, on.arrays), tolerance(GetParam()));
  }
};

TEST_P(Slices, AgreeWithAllRowsTogether) {
  const RunResult off = run(spec(), "");
  for (const char* slices : {"2", "3", "16"}) {
    SCOPED_TRACE(slices);
    const RunResult on = run(spec(), std::string("policy = \"all\"\nslices = ") + slices);
    expect_close(on, off);
    EXPECT_GT(relative_difference(off.arrays, on.arrays), 0) << "nothing was cut";
  }
  expect_close(run(spec(), "slices = 2"), off);
}

TEST_P(Slices, OfBoundariesPutAwayAreTheSameBits) {
  const TemporaryFolder folder;
  const std::string keys = "policy = \"all\"\nslices = 2";
  expect_same_run(run(spec(), keys + "\noffload = \"host\"\noffload_path = \"" + folder.path() + "\""),
                  run(spec(), keys));
}

TEST_P(Slices, WithoutAHandWrittenBackward) {
  RunSpec of = spec();
  of.prepare = differentiate_by_autograd;
  expect_close(run(of, "policy = \"all\"\nslices = 2"), run(of, ""));
}

TEST_P(Slices, FrozenParametersStay) {
  RunSpec of = spec();
  Arrays start;
  const auto frozen = [](const std::string& name) { return name.find("block.1.mlp") == 0; };
  of.prepare = [&](RankParts& parts) {
    for (ParameterDeclaration& p : parts.model.parameters) p.trainable = !frozen(p.name);
    watch(parts, {Hook::kStepBegin}, [&](const HookInfo& at) {
      if (at.attempt == 1) export_into(*parts.residency, start);
    });
  };
  const RunResult off = run(of, ""), on = run(of, "policy = \"all\"\nslices = 2");
  expect_close(on, off);
  ASSERT_FALSE(start.empty());
  for (const auto& [array, values] : start) {
    if (array.find("/master") == std::string::npos) continue;
    EXPECT_EQ(values == on.arrays.at(array), frozen(array)) << array;
  }
}

INSTANTIATE_TEST_SUITE_P(Recompute, Slices, testing::ValuesIn(all_arithmetics()),
                         [](const auto& info) { return info.param.name; });

// --- what others see of the gradients -------------------------------------------------------------------------------

AmpResult amp_with(const std::string& amp_keys, const std::string& plugins) {
  AmpRun amp;
  amp.spec.ranks = 1;
  amp.spec.options.steps = 3;
  amp.keys = amp_keys;
  amp.more = plugins;
  return train_amp(amp);
}

double zero_share(const AmpResult& result) {
  const auto lines = with(result.run.metrics, "amp_o2.zero_share");
  return lines.empty() ? -1 : lines[0].at("amp_o2.zero_share").get<double>();
}

TEST(RecomputeSlices, AmpO2SeesGradientsThatVanish) {
  const std::string sliced = recompute("policy = \"all\"\nslices = 2");
  const std::string tiny = "loss_scale = 1e-6";
  const AmpResult vanished = amp_with(tiny, sliced);
  EXPECT_EQ(told(vanished, "vanishing").size(), 1u);
  EXPECT_NEAR(zero_share(vanished), zero_share(amp_with(tiny, "")), 0.05);
  const AmpResult healthy = amp_with("", sliced);
  EXPECT_TRUE(told(healthy, "vanishing").empty());
  EXPECT_GE(zero_share(healthy), 0);
  EXPECT_NEAR(zero_share(healthy), zero_share(amp_with("", "")), 0.05);
}

// --- reports --------------------------------------------------------------------------------------------------------

TEST(RecomputeSlices, WhatWasMeasuredSaysWhatItIs) {
  RunSpec spec;
  spec.options.steps = 12;
  const auto lines = decisions_with(kFp32, spec, "policy = \"all\"\nslices = 2");
  std::map<std::string, double> expected;
  for (const auto& line : of_kind(lines, "activations")) {
    if (line.at("to") == "recomputed") expected[line.at("segment")] = line.at("expected_given_back_bytes");
  }
  const auto measured = of_kind(lines, "activations_measured");
  ASSERT_EQ(measured.size(), 4u);
  for (const auto& line : measured) {
    const std::string kind = line.at("kind");
    EXPECT_TRUE(line.at("in_chunks").get<bool>()) << kind;
    EXPECT_GE(line.at("given_back_bytes").get<int64_t>(), 0) << kind;
    EXPECT_GT(line.at("cost_microseconds").get<double>(), 0) << kind;
    EXPECT_THAT(line.at("text_en").get<std::string>(), HasSubstr("by its shapes")) << kind;
  }
  EXPECT_GT(expected.at("block.0.mlp"), 0);
}

TEST(RecomputeSlices, FewerRowsThanChunksAreSaid) {
  for (const int64_t rows : {1, 2, 4}) {
    RunSpec spec;
    spec.options.steps = 2;
    spec.options.micro_batch = rows;
    const auto said = of_kind(decisions_with(kFp32, spec, "policy = \"all\"\nslices = 4"), "slices");
    ASSERT_EQ(said.size(), rows < 4 ? 1u : 0u) << rows;
    if (rows == 4) continue;
    EXPECT_EQ(said[0].at("from"), 4);
    EXPECT_EQ(said[0].at("to"), rows);
    const std::string text = said[0].at("text_en");
    EXPECT_THAT(text, HasSubstr("raise train.micro_batch"));
    EXPECT_EQ(text.find("lower no peak") != std::string::npos, rows == 1) << text;
  }
  RunSpec spec;
  spec.options.steps = 2;
  spec.options.micro_batch = 1;
  EXPECT_TRUE(of_kind(decisions_with(kFp32, spec, "policy = \"cheap\"\nslices = 4"), "slices").empty());
}

// Takes its time in backward.
class SlowBackward final : public WrappedSegment {
 public:
  static constexpr double kSeconds = 0.05;
  using WrappedSegment::WrappedSegment;
  SegmentGradients backward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                            const TensorList& saved, const TensorList& grads) const override {
    std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
    return WrappedSegment::backward(context, parameters, inputs, saved, grads);
  }
};

// Of several steps one at least is left alone by whatever else the machine does.
TEST(RecomputeSlices, SecondsLeaveTheTrueBackwardOut) {
  for (const char* slices : {"1", "2"}) {
    RunSpec spec;
    spec.options.steps = 8;
    spec.prepare = [](RankParts& parts) {
      auto& segment = parts.model.segments[4];
      ASSERT_EQ(segment.name, "block.1.mlp");
      segment.segment = std::make_shared<SlowBackward>(segment.segment);
    };
    const auto run = train_with(spec, recompute(std::string("policy = \"list\"\nsegments = [\"block.1.mlp\"]\nslices = ") +
                                                slices));
    const std::string key = "selective_recompute.seconds";
    double least = 1e9;
    for (const auto& line : with(run.metrics, key)) least = std::min(least, line.at(key).get<double>());
    EXPECT_GT(least, 0) << slices;
    EXPECT_LT(least, SlowBackward::kSeconds) << slices;
  }
}

}  // namespace
}  // namespace sz::test
