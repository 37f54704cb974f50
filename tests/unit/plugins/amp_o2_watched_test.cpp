// amp_o2 in whole runs: what it watches, and what it leaves to others.
#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "unit/plugins/amp_o2_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;

TEST(AmpWatched, AHealthyRunRaisesNothing) {
  AmpRun amp;
  amp.spec.ranks = 1;
  amp.spec.options.steps = 150;  // three windows of the variance watch
  amp.keys = "growth_interval = 60";
  amp.more = "[plugins.test_instability]\nenabled = true\n";
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(verdicts(result), std::vector<std::string>(150, "apply"));
  const auto changes = told(result, "loss_scale");
  ASSERT_EQ(changes.size(), 2u);
  for (const nlohmann::json& change : changes) EXPECT_EQ(change.at("cause"), "60 good steps in a row");
  EXPECT_EQ(told(result, "difficulty").size(), 1u) << "the listener's own alone";
  EXPECT_TRUE(told(result, "vanishing").empty());
}

// Wraps forward, and sees each call once it is done.
class AfterForward final : public Wrapper {
 public:
  using Function = std::function<void(SegmentCall&)>;
  explicit AfterForward(Function function) : function_(std::move(function)) {}
  std::string name() const override { return "after_forward"; }
  bool wraps(Hook hook) const override { return hook == Hook::kSegmentForward; }
  void segment_forward(SegmentCall& call, const Next& next) override {
    next();
    function_(call);
  }

 private:
  Function function_;
};

TEST(AmpWatched, ALossOfExactlyZeroIsWarnedOf) {  // reported: the loss is suddenly zero
  AmpRun amp;
  amp.spec.options.steps = 3;
  amp.prepare = [](RankParts& parts) {
    parts.hooks.wrap(std::make_shared<AfterForward>([](SegmentCall& call) {
      if (call.outputs.size() == 3) call.outputs[1].zero_();  // the loss segment's losses of the tokens
    }));
  };
  const AmpResult result = train_amp(amp);
  ASSERT_EQ(with(result.run.metrics, "loss").back().at("loss"), 0.0);
  const auto warned = told(result, "vanishing");
  ASSERT_EQ(warned.size(), 1u) << "once, not at every step";
  EXPECT_THAT(warned[0].at("text_en").get<std::string>(), HasSubstr("scale 4096"));
  EXPECT_THAT(warned[0].at("text_en").get<std::string>(), HasSubstr("the loss is exactly 0"));
  EXPECT_THAT(warned[0].at("text_zh").get<std::string>(), HasSubstr("损失恰好为 0"));
}

TEST(AmpWatched, AnFp32EmbeddingIsCastAtEachUse) {
  for (const char* dtype : {"fp16", "bf16"}) {
    const at::ScalarType low = dtype == std::string("fp16") ? at::kHalf : at::kBFloat16;
    AmpRun amp;
    amp.spec.options.steps = 2;
    amp.keys = "dtype = \"" + std::string(dtype) + "\"\nkeep_fp32 = [\"embedding\"]";
    std::mutex mutex;
    std::set<std::string> seen;
    amp.prepare = [&](RankParts& parts) {
      parts.hooks.wrap(std::make_shared<AfterForward>([&](SegmentCall& call) {
        const std::lock_guard lock(mutex);
        const bool ends = call.outputs.size() == 3;
        const bool begins = call.segment == 0;
        EXPECT_EQ(call.parameters[0].scalar_type(), begins || ends ? at::kFloat : low) << call.segment;
        if (begins) {
          EXPECT_EQ(call.parameters.at(1).scalar_type(), at::kFloat) << "positions are an embedding too";
        } else {
          EXPECT_EQ(call.inputs[0].scalar_type(), low) << call.segment;
          EXPECT_EQ(call.outputs[ends ? 1 : 0].scalar_type(), ends ? at::kFloat : low) << call.segment;
        }
        seen.insert(begins ? "embedding" : ends ? "loss" : "block");
      }));
    };
    const AmpResult result = train_amp(amp);
    EXPECT_EQ(seen.size(), 3u);
    expect_replicas_identical(result.run);
  }
}

TEST(AmpWatched, TheConfiguredClipLimitWins) {
  AmpRun amp;
  amp.spec.options.steps = 8;
  amp.spec.options.grad_clip = 0.25;
  amp.keys = "max_grad_norm = 0.001";
  amp.more = bad_gradient("first = 3\nlast = 5");  // a roll back, which would switch max_grad_norm on
  const AmpResult result = train_amp(amp);
  EXPECT_EQ(verdicts(result)[4], "roll back");
  int clipped = 0;
  for (const nlohmann::json& line : with(result.run.metrics, "clip")) {
    if (line.at("verdict") != "apply") continue;
    const double norm = line.at("grad_norm");
    EXPECT_NEAR(line.at("clip").get<double>(), std::min(1.0, 0.25 / norm), 1e-6);
    clipped += norm > 0.25;
  }
  EXPECT_GT(clipped, 0);
  EXPECT_TRUE(told(result, "clip").empty()) << "clipping was on all along";
}

}  // namespace
}  // namespace sz::test
