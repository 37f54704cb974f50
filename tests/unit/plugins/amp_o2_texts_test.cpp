// What amp_o2 says, and which dtypes it plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "amp_o2/dtype_plan.h"
#include "amp_o2/texts.h"

namespace amp_o2 {
namespace {

using namespace sz::amp;
using testing::HasSubstr;

TEST(AmpTexts, AJumpOfTheVariance) {
  Ruling ruling;
  ruling.sigma = 0.42;
  ruling.change = Change::kVariance;
  ruling.scale_from = 8192;
  ruling.scale_to = 4096;
  const auto made = decisions(ruling, {}, {}, {});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].what, "loss_scale");
  EXPECT_EQ(made[0].cause, "gradient variance jumped (sigma 0.42)");
  EXPECT_EQ(made[0].text_en, "gradient variance jumped (sigma 0.42), scale 8192 -> 4096");
  EXPECT_EQ(made[0].text_zh, "梯度方差突增（sigma 0.42），损失缩放 8192 -> 4096");
}

TEST(AmpTexts, ARollBackTellsScaleClippingAndCause) {
  Ruling ruling;
  ruling.action = Action::kRollBack;
  ruling.fault = Fault::kNonFinite;
  ruling.bad_in_a_row = 3;
  ruling.change = Change::kBackoff;
  ruling.scale_from = 4096;
  ruling.scale_to = 2048;
  ruling.clip_switched_on = true;
  ScaleFacts facts;
  facts.non_finite = 7;
  const Text why = reason(ruling, facts, {}, {"block.1.mlp.up.weight", "block.1.mlp"});
  EXPECT_EQ(why.en, "7 non-finite gradient elements, first in block.1.mlp.up.weight of segment block.1.mlp");
  EXPECT_EQ(why.zh, "梯度中有 7 个非有限值，最先出现在分段 block.1.mlp 的 block.1.mlp.up.weight");
  const auto made = decisions(ruling, facts, {}, why);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_THAT(made[0].text_en, HasSubstr("3 bad attempts in a row"));
  EXPECT_THAT(made[0].text_en, HasSubstr("scale 4096 -> 2048"));
  EXPECT_EQ(made[1].what, "clip");
  EXPECT_THAT(made[1].text_zh, HasSubstr("梯度裁剪"));
}

TEST(AmpTexts, AnEndSaysWhyAndWhatToDo) {
  Ruling ruling;
  ruling.action = Action::kAbort;
  ruling.fault = Fault::kNonFinite;
  ruling.end = End::kMinScale;
  ScaleFacts facts;
  facts.non_finite = 1;
  EXPECT_THAT(reason(ruling, facts, {}, {"w", "s"}).en,
              HasSubstr("w of segment s; the loss scale is at its minimum of 1"));
  ruling.end = End::kMaxRollbacks;
  ruling.rollbacks = 5;
  EXPECT_THAT(reason(ruling, facts, {}, {"w", "s"}).en, HasSubstr("5 roll backs did not get the run any further"));
  EXPECT_THAT(reason(ruling, facts, {}, {"w", "s"}).zh, HasSubstr("5 次回滚"));
}

TEST(AmpTexts, VanishingNamesScaleAndCause) {
  Ruling ruling;
  ruling.scale_from = ruling.scale_to = 4096;
  ruling.vanishing = Vanishing::kZeroLoss;
  EXPECT_EQ(decisions(ruling, {}, {}, {})[0].text_en, "gradients vanish at scale 4096: the loss is exactly 0");
  ruling.vanishing = Vanishing::kFlushed;
  ScaleFacts facts;
  facts.low_entries = 200;
  facts.low_zeros = 150;
  EXPECT_EQ(decisions(ruling, facts, {}, {})[0].text_en,
            "gradients vanish at scale 4096: 75% of the 16-bit gradient entries are zero");
  EXPECT_EQ(decisions(ruling, facts, {}, {})[0].text_zh, "损失缩放为 4096 时梯度消失：16 位梯度中 75% 的元素为零");
}

TEST(AmpTexts, AGoodStepSaysNothing) {
  EXPECT_TRUE(decisions({}, {}, {}, {}).empty());
  EXPECT_EQ(reason({}, {}, {}, {}).en, "");
}

const sz_role kRoles[] = {SZ_ROLE_EMBEDDING, SZ_ROLE_POSITION, SZ_ROLE_NORM, SZ_ROLE_BIAS, SZ_ROLE_MATRIX};

std::vector<int> compute_of(const DtypeChoice& choice, std::vector<sz_segment_dtypes>& segments) {
  std::vector<sz_parameter_dtypes> parameters(5, {SZ_F32, SZ_F32, SZ_F32, SZ_F32});
  fill_plan(choice, kRoles, parameters, segments);
  std::vector<int> compute;
  for (const auto& p : parameters) {
    EXPECT_TRUE(p.master == SZ_F32 && p.accumulate == SZ_F32 && p.wire == SZ_F32);
    compute.push_back(p.compute);
  }
  return compute;
}

TEST(AmpDtypes, O2KeepsWhatItIsTold) {
  std::vector<sz_segment_dtypes> segments(2);
  EXPECT_EQ(compute_of({Level::kO2, SZ_F16, {"norm"}}, segments),
            (std::vector<int>{SZ_F16, SZ_F16, SZ_F32, SZ_F16, SZ_F16}));
  EXPECT_TRUE(segments[1].activation == SZ_F16 && segments[1].autocast == SZ_AUTOCAST_NONE);
  EXPECT_EQ(compute_of({Level::kO2, SZ_BF16, {"norm", "embedding"}}, segments),
            (std::vector<int>{SZ_F32, SZ_F32, SZ_F32, SZ_BF16, SZ_BF16}));
}

TEST(AmpDtypes, O1IsAutocastOfFp32) {
  std::vector<sz_segment_dtypes> segments(2);
  EXPECT_EQ(compute_of({Level::kO1, SZ_F16, {}}, segments), (std::vector<int>(5, SZ_F32)));
  EXPECT_TRUE(segments[0].activation == SZ_F32 && segments[0].autocast == SZ_AUTOCAST_F16);
  compute_of({Level::kO1, SZ_BF16, {}}, segments);
  EXPECT_EQ(segments[0].autocast, SZ_AUTOCAST_BF16);
}

}  // namespace
}  // namespace amp_o2
