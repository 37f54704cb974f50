// amp_o2 in whole runs: dtypes, faults that were reported of others, decisions.
#include "unit/plugins/amp_o2_run.h"

#include <ATen/ops/from_blob.h>
#include <gmock/gmock.h>

namespace sz::test {
namespace {

using testing::HasSubstr;

double last_loss(const AmpResult& result) { return with(result.run.metrics, "loss").back().at("loss"); }

TEST(AmpRun, EveryLevelTrainsLikeFp32) {
  RunSpec plain = AmpRun().spec;
  const double expected = with(train(plain).metrics, "loss").back().at("loss");
  for (const char* level : {"O1", "O2"}) {
    for (const char* dtype : {"fp16", "bf16"}) {
      AmpRun amp;
      amp.keys = "opt_level = \"" + std::string(level) + "\"\ndtype = \"" + dtype + "\"";
      const AmpResult result = train_amp(amp);
      EXPECT_NEAR(last_loss(result), expected, 0.02) << level << dtype;
      expect_replicas_identical(result.run);
      ASSERT_EQ(told(result, "dtype_plan").size(), 1u);
      const std::string plan = told(result, "dtype_plan")[0].at("text_en");
      EXPECT_THAT(plan, HasSubstr(dtype));
      EXPECT_THAT(plan, HasSubstr(dtype == std::string("fp16") ? "loss in fp32, scale" : "loss in fp32 from bf16 logits"));
      EXPECT_EQ(with(result.run.metrics, "scale")[0].at("scale"), 4096.0);
    }
  }
}

TEST(AmpRun, O0ClaimsNothing) {
  AmpRun amp;
  amp.keys = "opt_level = \"O0\"";
  const AmpResult result = train_amp(amp);
  EXPECT_TRUE(result.decisions.empty());
  expect_identical(result.run.arrays, train(AmpRun().spec).arrays);
}

// What [plugins.amp_o2] keep_fp32 calls a parameter.
std::string role_name(const std::string& parameter) {
  for (const char* name : {"norm", "embedding", "bias"}) {
    if (parameter.find(name) != std::string::npos) return name;
  }
  return "matrix";
}

class AmpMirrors : public testing::TestWithParam<std::set<std::string>> {};

INSTANTIATE_TEST_SUITE_P(KeepFp32, AmpMirrors,
                         testing::Values(std::set<std::string>{}, std::set<std::string>{"bias"},
                                         std::set<std::string>{"norm", "embedding"}));

TEST_P(AmpMirrors, AreTheMastersRounded) {
  for (const char* dtype : {"fp16", "bf16"}) {
    AmpRun amp;
    amp.keys = "dtype = \"" + std::string(dtype) + "\"\nkeep_fp32 = " + nlohmann::json(GetParam()).dump();
    const AmpResult result = train_amp(amp);
    std::set<std::string> exactly;
    int rounded = 0;
    for (const auto& [name, mirror] : result.run.replicas[0]) {
      const std::vector<float>& master = result.run.arrays.at(name + "/master");
      const bool kept = GetParam().contains(role_name(name));
      if (kept && mirror == master) exactly.insert(role_name(name));
      const at::ScalarType type = kept ? at::kFloat : dtype == std::string("fp16") ? at::kHalf : at::kBFloat16;
      const at::Tensor exact = at::from_blob(const_cast<float*>(master.data()), {int64_t(master.size())}, at::kFloat);
      const at::Tensor expected = exact.to(type).to(at::kFloat);
      const size_t bytes = mirror.size() * sizeof(float);
      ASSERT_EQ(std::memcmp(expected.const_data_ptr<float>(), mirror.data(), bytes), 0) << name;
      rounded += !kept;
    }
    EXPECT_GT(rounded, 5);
    EXPECT_EQ(exactly, GetParam()) << "kept as they are";
  }
}

// Reported: a fused step applies NaN though flagged; LR and step counters advance on a skip; a skip isn't shown in
// bf16.
TEST(AmpRun, ABadStepChangesNothingAndIsShown) {
  for (const char* dtype : {"fp16", "bf16"}) {
    for (const char* kind : {"inf", "nan"}) {
      AmpRun amp;
      amp.keys = "dtype = \"" + std::string(dtype) + "\"";
      amp.spec.options.steps = 4;
      amp.spec.schedule.warmup_steps = 4;  // so that the rate tells the step
      amp.more = bad_gradient("first = 3\nlast = 3\nkind = \"" + std::string(kind) + "\"");
      std::vector<Arrays> before_and_after;
      std::mutex mutex;
      amp.prepare = [&](RankParts& parts) {
        watch(parts, {Hook::kVerdict, Hook::kStepEnd}, [&](const HookInfo& info) {
          if (info.attempt != 3 || parts.rank() != 0) return;
          const std::lock_guard lock(mutex);
          export_into(*parts.residency, before_and_after.emplace_back());
        });
      };
      const AmpResult result = train_amp(amp);
      EXPECT_EQ(verdicts(result), (std::vector<std::string>{"apply", "apply", "skip", "apply", "apply"}));
      ASSERT_EQ(before_and_after.size(), 2u);
      expect_identical(before_and_after[0], before_and_after[1]);
      const auto lines = with(result.run.metrics, "lr");
      EXPECT_EQ(lines[1].at("step"), 2);
      EXPECT_EQ(lines[2].at("step"), 2);
      EXPECT_EQ(lines[3].at("step"), 3);
      EXPECT_DOUBLE_EQ(lines[3].at("lr").get<double>(), 7.5e-4) << "the third of four steps of warm-up";
      const auto shown = decisions_of(result.run, "verdict");
      ASSERT_EQ(shown.size(), 1u) << dtype;
      EXPECT_EQ(shown[0].at("to"), "skip");
      EXPECT_THAT(shown[0].at("text_en").get<std::string>(),
                  HasSubstr("first in block.0.mlp.norm.weight of segment block.0.mlp"));
      EXPECT_THAT(shown[0].at("text_zh").get<std::string>(), HasSubstr("梯度中有"));
      for (const auto& [name, values] : result.run.arrays) {
        for (const float v : values) ASSERT_TRUE(std::isfinite(v)) << name;
      }
    }
  }
}

TEST(AmpRun, OverflowOnOneRankSkipsOnAll) {  // reported: on one rank only
  AmpRun amp;
  amp.spec.ranks = 3;
  amp.more = bad_gradient("first = 2\nlast = 2\nrank = 1");
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(verdicts(result)[1], "skip");
  expect_replicas_identical(result.run);
}

TEST(AmpRun, BadBadGoodBadBadDoesNotRollBack) {  // reported
  AmpRun amp;
  amp.spec.options.steps = 8;
  amp.more = bad_gradient("first = 3\nlast = 4");
  amp.prepare = [](RankParts& parts) { spoil(parts, {6, 7}, std::numeric_limits<double>::infinity()); };
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(verdicts(result), (std::vector<std::string>{"apply", "apply", "skip", "skip", "apply", "skip", "skip",
                                                        "apply", "apply", "apply", "apply", "apply"}));
  EXPECT_TRUE(told(result, "loss_scale").empty());
}

// Reported: gradients unscaled twice. The scale is a power of two and fp32 carries it exactly, so that any scale
// gives the same update.
TEST(AmpRun, TheScaleIsTakenOutOnce) {
  const auto with_scale = [](const char* scale) {
    AmpRun amp;
    amp.keys = "opt_level = \"O1\"\ndtype = \"bf16\"\nloss_scale = " + std::string(scale);
    amp.spec.options.grad_clip = 0.5;
    return train_amp(amp);
  };
  const AmpResult one = with_scale("1"), large = with_scale("1024");
  EXPECT_LT(relative_difference(one.run.arrays, large.run.arrays), 1e-6);
  EXPECT_NEAR(with(one.run.metrics, "grad_norm")[3].at("grad_norm").get<double>(),
              with(large.run.metrics, "grad_norm")[3].at("grad_norm").get<double>(), 1e-4);
}

TEST(AmpRun, GrowsToItsMaximumAndNoFurther) {  // reported: without bound
  AmpRun amp;
  amp.keys = "dtype = \"bf16\"\ngrowth_interval = 1\nmax_scale = 65536";
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(with(result.run.metrics, "scale").back().at("scale"), 65536.0);
  const auto changes = told(result, "loss_scale");
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[0].at("from"), 4096.0);
  EXPECT_EQ(changes[3].at("to"), 65536.0);
  EXPECT_EQ(changes[0].at("cause"), "1 good steps in a row");
}

TEST(AmpRun, PermanentNanEndsWithExitCode5AndNamesTheFirst) {  // reported: drives the scale towards 0
  AmpRun amp;
  amp.more = bad_gradient("kind = \"nan\"\nsegment = \"block.1.mlp\"\nrank = 0");
  try {
    train_amp(amp);
    FAIL() << "it should have ended";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kDiverged);
    EXPECT_THAT(e.what(), HasSubstr("first in block.1.mlp.norm.weight of segment block.1.mlp"));
    EXPECT_THAT(e.what(), HasSubstr("5 roll backs did not get the run any further"));
  }
}

TEST(AmpRun, AtTheMinimumItEndsToo) {
  AmpRun amp;
  amp.keys = "initial_scale = 2";
  amp.more = bad_gradient("kind = \"nan\"");
  try {
    train_amp(amp);
    FAIL() << "it should have ended";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kDiverged);
    EXPECT_THAT(e.what(), HasSubstr("at its minimum of 1"));
  }
}

TEST(AmpRun, ExplosionsAreSkippedThenClippedAndApplied) {
  AmpRun amp;
  amp.spec.options.steps = 30;
  amp.more = bad_gradient("kind = \"times\"\nfactor = 1e5\nfirst = 15\nlast = 20\nsegment = \"block.0.mlp\"");
  amp.keys = "dtype = \"bf16\"\nloss_scale = 1\nmax_grad_norm = 0.25";
  const AmpResult result = train_amp(amp);
  const std::vector<std::string> seen = verdicts(result);
  EXPECT_EQ(std::vector<std::string>(seen.begin() + 13, seen.begin() + 21),
            (std::vector<std::string>{"apply", "skip", "skip", "roll back", "apply", "apply", "apply", "apply"}));
  const auto lines = with(result.run.metrics, "clip");
  EXPECT_LT(lines[17].at("clip").get<double>(), 1e-2) << "clipped, applied";
  EXPECT_LT(lines[25].at("clip").get<double>(), 1.0) << "clipping stays on";
  ASSERT_EQ(told(result, "clip").size(), 1u);
  EXPECT_TRUE(told(result, "loss_scale").empty()) << "a static scale stays";
}

TEST(AmpRun, WhatWouldFailAlikeIsPassedOver) {
  AmpRun amp;
  amp.keys = "loss_scale = 128";
  amp.spec.options.grad_clip = 1.0;  // so that clipping is on already
  amp.more = bad_gradient("first = 4\nlast = 6");
  std::vector<std::pair<int64_t, uint64_t>> taken;  // attempt, first sample's position
  amp.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kBatchReady}, [&](const HookInfo& info) {
      if (parts.rank() != 0 || !info.plan || info.mode != Mode::kTrain) return;
      taken.emplace_back(info.attempt, info.plan->at(0).position);
    });
  };
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(told(result, "pass_over").size(), 1u);
  ASSERT_GE(taken.size(), 8u);
  for (size_t i = 1; i < 8; ++i) EXPECT_GT(taken[i].second, taken[i - 1].second) << "data goes on";
  EXPECT_EQ(with(result.run.metrics, "step")[6].at("step"), 1) << "the run went back to step 0";
}

TEST(AmpRun, TheRequirementsLineInBothLanguages) {
  AmpRun amp;
  amp.spec.options.steps = 3;
  amp.more = "[plugins.test_instability]\nenabled = true\n";
  const auto lines = told(train_amp(amp), "difficulty");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("text_en"),
            "gradient variance jumped (sigma 0.42), scale 8192 -> 4096, difficulty 0.70 -> 0.65");
  EXPECT_EQ(lines[0].at("text_zh"), "梯度方差突增（sigma 0.42），损失缩放 8192 -> 4096，难度 0.70 -> 0.65");
}

TEST(AmpRun, AJumpOfTheVarianceIsPublished) {
  AmpRun amp;
  amp.spec.options.steps = 30;
  amp.keys = "dtype = \"bf16\"\ninitial_scale = 8192\nvariance_window = 6\nexplosion_factor = 1000000";
  amp.more = bad_gradient("kind = \"times\"\nfactor = 10000\nfirst = 25\nlast = 25") +
             "[plugins.test_instability]\nenabled = true\n";
  const AmpResult result = train_amp(amp);
  const auto changes = told(result, "loss_scale");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(with(result.run.metrics, "scale")[24].at("scale"), 8192.0);
  EXPECT_EQ(with(result.run.metrics, "scale")[25].at("scale"), 4096.0);
  EXPECT_THAT(changes[0].at("text_en").get<std::string>(), HasSubstr("scale 8192 -> 4096"));
  EXPECT_EQ(told(result, "difficulty").size(), 2u) << "the listener heard it, besides its own";
}

double zero_share(const AmpResult& result, size_t line) {
  return with(result.run.metrics, "amp_o2.zero_share").at(line).at("amp_o2.zero_share");
}

class AmpFlushes : public testing::TestWithParam<const char*> {
 protected:
  static AmpRun run(const std::string& keys) {
    AmpRun amp;
    amp.spec.options.steps = 4;
    amp.keys = "opt_level = \"" + std::string(GetParam()) + "\"\n" + keys;
    return amp;
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, AmpFlushes, testing::Values("O1", "O2"));

TEST_P(AmpFlushes, ManyAreWarnedOf) {
  const AmpResult result = train_amp(run("loss_scale = 1e-6"));
  const auto warned = told(result, "vanishing");
  ASSERT_EQ(warned.size(), 1u) << "most fp16 gradients flush to zero at such a scale";
  EXPECT_THAT(warned[0].at("text_en").get<std::string>(), HasSubstr("entries are zero"));
  EXPECT_GT(zero_share(result, 0), 0.5);
}

TEST_P(AmpFlushes, AreFewAtAHealthyScale) {
  const AmpResult result = train_amp(run(""));
  EXPECT_TRUE(told(result, "vanishing").empty());
  EXPECT_LT(zero_share(result, 3), 0.3);
}

}  // namespace
}  // namespace sz::test
