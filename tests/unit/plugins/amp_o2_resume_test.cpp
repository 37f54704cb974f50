// A run with amp_o2 that is stopped in an awkward place and resumed is the run that was never stopped.
#include <algorithm>
#include <ostream>

#include "unit/plugins/amp_o2_run.h"

namespace sz::test {
namespace {

struct StopCase {
  std::string name, keys, bad;  // of amp_o2; of test_bad_gradient
  int64_t stop;                 // after this attempt
  int64_t bad_by_then;          // attempts
  friend void PrintTo(const StopCase& shown, std::ostream* out) { *out << shown.name; }
};

const std::string kJumping = "initial_scale = 8192\nvariance_window = 6\nexplosion_factor = 1000000\n";

class AmpResume : public testing::TestWithParam<StopCase> {};

INSTANTIATE_TEST_SUITE_P(
    Places, AmpResume,
    testing::Values(StopCase{"BehindARollBack", "growth_interval = 5", "first = 5\nlast = 7", 9, 3},
                    StopCase{"OneBadAttempt", "growth_interval = 5", "first = 9\nlast = 10", 9, 1},
                    StopCase{"TwoBadAttempts", "growth_interval = 5", "first = 9\nlast = 10", 10, 2},
                    StopCase{"ThreeOfFour", "hysteresis = 4", "first = 9\nlast = 11", 11, 3},
                    StopCase{"WindowsFilled", kJumping, "kind = \"times\"\nfactor = 10000\nfirst = 20\nlast = 20", 16,
                             0}),
    [](const auto& info) { return info.param.name; });

TEST_P(AmpResume, IsTheUninterruptedRun) {
  const StopCase& place = GetParam();
  const TemporaryFolder folder;
  AmpRun amp;
  amp.spec.options.steps = 24;
  amp.spec.options.stable_every = 4;
  amp.keys = place.keys;
  amp.more = bad_gradient(place.bad);
  const AmpResult whole = train_amp(amp);

  AmpRun half = amp;
  half.spec.folder = folder.path();
  half.spec.options.checkpoint_every = 1000;  // at the stop alone
  half.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kGradientsReduced}, [&parts, &place](const HookInfo& info) {
      parts.services.requests.stop = info.attempt == place.stop;
    });
  };
  const std::vector<std::string> seen = verdicts(train_amp(half));
  ASSERT_EQ(int64_t(seen.size()), place.stop);
  EXPECT_EQ(std::count_if(seen.begin(), seen.end(), [](const auto& verdict) { return verdict != "apply"; }),
            place.bad_by_then);

  AmpRun rest = amp;
  rest.spec.resume = find_resume(folder / "checkpoints", "auto");
  const AmpResult resumed = train_amp(rest);
  expect_identical(whole.run.arrays, resumed.run.arrays);
  expect_identical(whole.run.replicas[0], resumed.run.replicas[0]);
  EXPECT_EQ(whole.state, resumed.state);
  const auto lines = timeless(whole.run.metrics), after = timeless(resumed.run.metrics);
  ASSERT_LT(after.size(), lines.size());
  EXPECT_EQ(std::vector<nlohmann::json>(lines.end() - int64_t(after.size()), lines.end()), after);
}

// The third bad attempt of a row comes behind the resume: the run goes back to the checkpoint's state.
TEST(AmpResumed, InABadRowItRollsBackAtItsThird) {
  const TemporaryFolder folder;
  AmpRun amp;
  amp.spec.folder = folder.path();
  amp.spec.options.steps = 12;
  amp.spec.options.checkpoint_every = 1000;
  amp.more = bad_gradient("first = 9\nlast = 11");
  amp.prepare = [](RankParts& parts) {
    watch(parts, {Hook::kGradientsReduced},
          [&parts](const HookInfo& info) { parts.services.requests.stop = info.attempt == 10; });
  };
  train_amp(amp);
  amp.prepare = nullptr;
  amp.spec.resume = find_resume(folder / "checkpoints", "auto");
  const AmpResult resumed = train_amp(amp);
  const std::vector<std::string> seen = verdicts(resumed);
  ASSERT_GT(seen.size(), 11u);
  EXPECT_EQ(std::vector<std::string>(seen.begin() + 8, seen.begin() + 12),
            (std::vector<std::string>{"skip", "skip", "roll back", "apply"}));
  EXPECT_EQ(decisions_of(resumed.run, "rollback").at(0).at("to"), 8);
}

}  // namespace
}  // namespace sz::test
