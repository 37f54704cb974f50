// The whole story: gradients overflow on one rank, the run goes back, and goes on as one that had been restarted there.
#include <sz/loss_scale.hpp>

#include "unit/plugins/amp_o2_run.h"

namespace sz::test {
namespace {

constexpr char kSharded[] = "[plugins.zero3_async_io]\nenabled = true\nstage = 3\npersist_threshold = 0\n";

class Residencies : public testing::TestWithParam<const char*> {
 protected:
  std::string residency() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(EndToEnd, Residencies,
                         testing::Values("", kSharded),
                         [](const auto& info) { return *info.param ? "sharded" : "replicated"; });

AmpRun run_of(const std::string& more) {
  AmpRun amp;
  amp.spec.options.steps = 60;
  amp.spec.options.stable_every = 40;
  amp.more = more;
  amp.keys = "max_grad_norm = 0.25";  // norms are above it: where clipping is on, it shows
  return amp;
}

// Applied attempts whose gradients were clipped, of those from `first` on; the first is 1.
int clipped(const AmpResult& result, int64_t first, int64_t last = 1000000) {
  int count = 0;
  for (const nlohmann::json& line : with(result.run.metrics, "clip")) {
    const int64_t attempt = line.at("attempt");
    count += attempt >= first && attempt <= last && line.at("verdict") == "apply" && line.at("clip") < 1.0;
  }
  return count;
}

void expect_causes(const AmpResult& result) {
  std::vector<nlohmann::json> all = result.decisions;
  all.insert(all.end(), result.run.decisions.begin(), result.run.decisions.end());
  for (const nlohmann::json& decision : all) {
    for (const char* key : {"cause", "text_en", "text_zh"}) {
      EXPECT_FALSE(decision.value(key, "").empty()) << key << " of " << decision;
    }
  }
}

TEST_P(Residencies, InfOnRank1AtAttempts50To52) {
  const TemporaryFolder folder;
  AmpRun broken = run_of(residency() + bad_gradient("first = 50\nlast = 52\nrank = 1"));
  broken.spec.folder = folder / "broken";
  std::filesystem::create_directory(broken.spec.folder);
  const AmpResult result = train_amp(broken);
  const std::vector<std::string> seen = verdicts(result);
  EXPECT_EQ(std::vector<std::string>(seen.begin() + 48, seen.begin() + 53),
            (std::vector<std::string>{"apply", "skip", "skip", "roll back", "apply"}));
  ASSERT_EQ(told(result, "loss_scale").size(), 1u);
  EXPECT_EQ(told(result, "loss_scale")[0].at("from"), 4096.0);
  EXPECT_EQ(told(result, "loss_scale")[0].at("to"), 2048.0);
  ASSERT_EQ(told(result, "clip").size(), 1u);
  EXPECT_EQ(clipped(result, 1, 52), 0);
  EXPECT_GT(clipped(result, 53), 10);
  ASSERT_EQ(decisions_of(result.run, "rollback").size(), 1u);
  EXPECT_EQ(decisions_of(result.run, "rollback")[0].at("to"), 40);
  EXPECT_EQ(seen.size(), 52u + 20u);
  const auto kept = decisions_of(result.run, "stable_state");
  ASSERT_EQ(kept.size(), 2u) << "step 40 comes once";
  EXPECT_EQ(kept[0].at("to"), 0);
  EXPECT_EQ(kept[1].at("to"), 40);
  expect_replicas_identical(result.run);
  expect_causes(result);

  // The same run, stopped at the stable state, and restarted there with the halved scale and clipping on.
  AmpRun until = run_of(residency());
  until.spec.folder = folder / "until";
  std::filesystem::create_directory(until.spec.folder);
  until.spec.options.steps = 40;
  until.spec.options.checkpoint_every = 40;
  train_amp(until);
  AmpRun restarted = run_of(residency());
  restarted.spec.resume = find_resume(until.spec.folder + "/checkpoints", "auto");
  amp::LossScale state{amp::ScaleOptions{.initial_scale = 2048}};
  std::string text = state.save();
  restarted.only_amp_loads = text.replace(text.find("clipping 0"), 10, "clipping 1");
  const AmpResult again = train_amp(restarted);
  expect_identical(result.run.arrays, again.run.arrays);
  expect_replicas_identical(again.run);
  EXPECT_GT(clipped(again, 1), 10) << "clipping stays on over a resume";
}

TEST_P(Residencies, ABadMicroBatchAmongFourSkipsOnce) {
  AmpRun amp;
  amp.spec.options.accumulation = 4;
  amp.spec.options.steps = 4;
  amp.more = residency() + bad_gradient("first = 2\nlast = 2\nmicro_batch = 1\nrank = 0");
  EXPECT_EQ(verdicts(train_amp(amp)), (std::vector<std::string>{"apply", "skip", "apply", "apply", "apply"}));
}

TEST_P(Residencies, ResumeInTheMiddleIsBitIdentical) {
  const TemporaryFolder folder;
  const auto make = [&] {
    AmpRun amp = run_of(residency() + bad_gradient("first = 5\nlast = 6\nrank = 0"));
    amp.keys += "\ngrowth_interval = 4";
    amp.spec.options.steps = 20;
    amp.spec.options.stable_every = 5;
    return amp;
  };
  const AmpResult whole = train_amp(make());
  AmpRun half = make();
  half.spec.folder = folder.path();
  half.spec.options.steps = 11;
  half.spec.options.checkpoint_every = 11;
  train_amp(half);
  AmpRun rest = make();
  rest.spec.resume = find_resume(folder / "checkpoints", "auto");
  const AmpResult resumed = train_amp(rest);
  expect_identical(whole.run.arrays, resumed.run.arrays);
  expect_identical(whole.run.replicas[0], resumed.run.replicas[0]);
  EXPECT_EQ(whole.state, resumed.state);
}

}  // namespace
}  // namespace sz::test
