// Keys of [plugins.amp_o2] at values other than their defaults, and what is said of explosions.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>

#include "unit/plugins/amp_o2_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;
using Changes = std::vector<std::pair<double, double>>;

struct KeyCase {
  std::string keys, bad;                // of amp_o2; of test_bad_gradient
  std::vector<std::string> verdicts;    // the first ones
  Changes scales;                       // all changes of the scale
  int64_t steps = 12;
  friend void PrintTo(const KeyCase& shown, std::ostream* out) { *out << shown.keys; }
};

const char* const kApply = "apply";

// One norm in a window of six far above the others: a coefficient of variation of nearly the root of 5.
const std::string kJumping = "initial_scale = 8192\nvariance_window = 6\nexplosion_factor = 1000000\n";
const std::string kJump = "kind = \"times\"\nfactor = 10000\nfirst = 25\nlast = 25";

class AmpKeys : public testing::TestWithParam<KeyCase> {};

INSTANTIATE_TEST_SUITE_P(
    Keys, AmpKeys,
    testing::Values(
        KeyCase{"growth_interval = 6\ngrowth_factor = 4", "", {kApply}, {{4096, 16384}, {16384, 65536}}},
        KeyCase{"backoff_factor = 0.25", "first = 3\nlast = 5", {kApply, kApply, "skip", "skip", "roll back", kApply},
                {{4096, 1024}}},
        KeyCase{"hysteresis = 2", "first = 3\nlast = 4", {kApply, kApply, "skip", "roll back", kApply}, {{4096, 2048}}},
        KeyCase{"hysteresis = 1", "first = 3\nlast = 3", {kApply, kApply, "roll back", kApply}, {{4096, 2048}}},
        KeyCase{kJumping, kJump, {kApply}, {{8192, 4096}}, 30},
        KeyCase{kJumping + "variance_sigma = 1.9", kJump, {kApply}, {{8192, 4096}}, 30},
        KeyCase{kJumping + "variance_sigma = 2.1", kJump, {kApply}, {}, 30},
        KeyCase{kJumping + "variance_floor = 6000", kJump, {kApply}, {{8192, 6000}}, 30},
        KeyCase{kJumping + "variance_floor = 9000", kJump, {kApply}, {}, 30}));

TEST_P(AmpKeys, DoWhatTheySay) {
  const KeyCase& wanted = GetParam();
  AmpRun amp;
  amp.spec.options.steps = wanted.steps;
  amp.keys = "dtype = \"bf16\"\n" + wanted.keys;
  if (!wanted.bad.empty()) amp.more = bad_gradient(wanted.bad);
  const AmpResult result = train_amp(amp);
  const std::vector<std::string> seen = verdicts(result);
  EXPECT_EQ(std::vector<std::string>(seen.begin(), seen.begin() + int64_t(wanted.verdicts.size())), wanted.verdicts);
  Changes scales;
  for (const nlohmann::json& change : told(result, "loss_scale")) {
    scales.emplace_back(change.at("from").get<double>(), change.at("to").get<double>());
  }
  EXPECT_EQ(scales, wanted.scales);
}

TEST(AmpKey, MaxRollbacksCountsThem) {
  for (const int allowed : {0, 2}) {
    AmpRun amp;
    amp.keys = "max_rollbacks = " + std::to_string(allowed);
    amp.more = bad_gradient("kind = \"nan\"");
    const TemporaryFolder folder;
    amp.spec.folder = folder.path();
    const Thrown thrown = thrown_by([&] { train_amp(amp); });
    EXPECT_EQ(thrown.exit, Exit::kDiverged);
    EXPECT_THAT(thrown.message, HasSubstr(std::to_string(allowed) + " roll backs did not get the run any further"));
    std::vector<std::string> seen;
    for (const nlohmann::json& line : json_lines(folder / "metrics.jsonl")) seen.push_back(line.value("verdict", ""));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "roll back"), allowed);
    EXPECT_EQ(seen.size(), size_t(3 * (allowed + 1)));
  }
}

TEST(AmpExplosions, EachIsNamedWithItsNormAndTheMedian) {
  AmpRun amp;
  amp.spec.options.steps = 16;
  amp.keys = "dtype = \"bf16\"\nexplosion_factor = 20";
  amp.more = bad_gradient("kind = \"times\"\nfactor = 1e5\nfirst = 15\nlast = 15");
  const auto shown = decisions_of(train_amp(amp).run, "verdict");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_THAT(shown[0].at("text_en").get<std::string>(), HasSubstr("amp_o2: skip, gradient norm "));
  EXPECT_THAT(shown[0].at("text_en").get<std::string>(), HasSubstr(" is above 20 times its median "));
  EXPECT_THAT(shown[0].at("text_zh").get<std::string>(), HasSubstr("超过其中位数"));
}

TEST(AmpExplosions, TheThirdScatteredOneSwitchesClippingOn) {
  AmpRun amp;
  amp.spec.options.steps = 20;
  amp.keys = "dtype = \"bf16\"\nloss_scale = 1\nmax_grad_norm = 0.25";
  amp.prepare = [](RankParts& parts) { spoil(parts, {13, 15, 17}, 1e5); };
  const AmpResult result = train_amp(amp);
  const std::vector<std::string> seen = verdicts(result);
  EXPECT_EQ(std::vector<std::string>(seen.begin() + 11, seen.begin() + 18),
            (std::vector<std::string>{kApply, "skip", kApply, "skip", kApply, kApply, kApply}));
  const auto lines = with(result.run.metrics, "clip");
  EXPECT_EQ(lines.at(15).at("clip"), 1.0);
  EXPECT_LT(lines.at(16).at("clip").get<double>(), 1e-2) << "the third is clipped and applied";
  const auto clip = told(result, "clip");
  ASSERT_EQ(clip.size(), 1u);
  EXPECT_EQ(clip[0].at("cause"), "the third gradient explosion");
  EXPECT_EQ(clip[0].at("text_en"), "gradient clipping at norm 0.25 goes on: the third gradient explosion");
  EXPECT_EQ(clip[0].at("text_zh"), "启用梯度裁剪，范数上限 0.25：第三次梯度爆炸");
}

}  // namespace
}  // namespace sz::test
