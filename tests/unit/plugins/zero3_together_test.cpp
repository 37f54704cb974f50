// Sharded runs together with amp_o2 and selective_recompute, beside replicated runs with the same.
#include "unit/plugins/amp_o2_run.h"

namespace sz::test {
namespace {

RunResult train_together(RunSpec spec, const std::string& toml) {
  spec.prepare = [=](RankParts& parts) {
    RankPlugins* const plugins = use_plugins(parts, toml);
    if (Precision* precision = plugins->host.precision()) parts.precision = std::make_unique<LentPrecision>(*precision);
  };
  return train(spec);
}

RunSpec spec_of() {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 10;
  spec.schedule.decay_type = "constant";
  return spec;
}

const std::string kRecompute = "[plugins.selective_recompute]\nenabled = true\npolicy = \"all\"\n";

void expect_like_replicated(const std::string& others) {
  const RunResult expected = train_together(spec_of(), others);
  // The last: with small parameters whole, in one unit of all segments.
  for (const char* keys : {"persist_threshold = 0\nstage = 1", "persist_threshold = 0\nstage = 2",
                           "persist_threshold = 0\nstage = 3", "persist_threshold = 500\nstage = 3"}) {
    SCOPED_TRACE(keys);
    const RunResult found = train_together(spec_of(), zero3_toml(keys) + others);
    expect_identical(expected.arrays, found.arrays);
    expect_replicas_identical(found);
  }
}

TEST(Zero3Together, WithSelectiveRecompute) { expect_like_replicated(kRecompute); }

class WithAmp : public testing::TestWithParam<const char*> {};

TEST_P(WithAmp, AloneAndWithSelectiveRecompute) {
  const std::string amp = std::string("[plugins.amp_o2]\nenabled = true\ndtype = \"") + GetParam() + "\"\n";
  expect_like_replicated(amp);
  expect_like_replicated(amp + kRecompute);
}

INSTANTIATE_TEST_SUITE_P(Zero3Together, WithAmp, testing::Values("fp16", "bf16"));

TEST(Zero3Together, TheOthersChangeTheRun) {
  const RunResult plain = train_together(spec_of(), zero3_toml(""));
  const RunResult amp = train_together(spec_of(), zero3_toml("") + "[plugins.amp_o2]\nenabled = true\n");
  EXPECT_GT(relative_difference(plain.arrays, amp.arrays), 1e-6);
}

}  // namespace
}  // namespace sz::test
