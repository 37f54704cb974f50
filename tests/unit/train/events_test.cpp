// The order of hooks, and the overlap of reduction with backward.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/train/training.h"

namespace sz::test {
namespace {

std::string line_of(const HookInfo& info) {
  std::string line = name_of(info.hook);
  const bool of_segment = info.hook == Hook::kSegmentForward || info.hook == Hook::kSegmentBackward;
  if (of_segment) line += std::string(" ") + info.segment_name;
  return line;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) result.push_back(line.substr(begin));
  }
  return result;
}

// Two steps of two micro-batches, evaluation (two micro-batches) and a checkpoint after the second.
const char* const kWholeRun = R"(
RUN_BEGIN
  MODEL_DECLARED
  MODEL_BUILT
  OPTIMIZER_BUILT
  EPOCH_BEGIN
    STEP_BEGIN
      BATCH_READY
        SEGMENT_FORWARD embedding
        SEGMENT_FORWARD block.0.attention
        SEGMENT_FORWARD block.0.mlp
        SEGMENT_FORWARD final_norm
        SEGMENT_FORWARD loss
        LOSS
        SEGMENT_BACKWARD loss
        SEGMENT_BACKWARD final_norm
        SEGMENT_BACKWARD block.0.mlp
        SEGMENT_BACKWARD block.0.attention
        SEGMENT_BACKWARD embedding
        SEGMENT_FORWARD embedding
        SEGMENT_FORWARD block.0.attention
        SEGMENT_FORWARD block.0.mlp
        SEGMENT_FORWARD final_norm
        SEGMENT_FORWARD loss
        LOSS
        SEGMENT_BACKWARD loss
        SEGMENT_BACKWARD final_norm
        SEGMENT_BACKWARD block.0.mlp
        SEGMENT_BACKWARD block.0.attention
        SEGMENT_BACKWARD embedding
      GRADIENTS_REDUCED
      VERDICT
      OPTIMIZER_STEP
    STEP_END
    STEP_BEGIN
      BATCH_READY
        SEGMENT_FORWARD embedding
        SEGMENT_FORWARD block.0.attention
        SEGMENT_FORWARD block.0.mlp
        SEGMENT_FORWARD final_norm
        SEGMENT_FORWARD loss
        LOSS
        SEGMENT_BACKWARD loss
        SEGMENT_BACKWARD final_norm
        SEGMENT_BACKWARD block.0.mlp
        SEGMENT_BACKWARD block.0.attention
        SEGMENT_BACKWARD embedding
        SEGMENT_FORWARD embedding
        SEGMENT_FORWARD block.0.attention
        SEGMENT_FORWARD block.0.mlp
        SEGMENT_FORWARD final_norm
        SEGMENT_FORWARD loss
        LOSS
        SEGMENT_BACKWARD loss
        SEGMENT_BACKWARD final_norm
        SEGMENT_BACKWARD block.0.mlp
        SEGMENT_BACKWARD block.0.attention
        SEGMENT_BACKWARD embedding
      GRADIENTS_REDUCED
      VERDICT
      OPTIMIZER_STEP
    STEP_END
    EVAL_BEGIN
      BATCH_READY
      SEGMENT_FORWARD embedding
      SEGMENT_FORWARD block.0.attention
      SEGMENT_FORWARD block.0.mlp
      SEGMENT_FORWARD final_norm
      SEGMENT_FORWARD loss
      LOSS
      BATCH_READY
      SEGMENT_FORWARD embedding
      SEGMENT_FORWARD block.0.attention
      SEGMENT_FORWARD block.0.mlp
      SEGMENT_FORWARD final_norm
      SEGMENT_FORWARD loss
      LOSS
    EVAL_END
    CHECKPOINT_SAVED
  EPOCH_END
RUN_END
)";

RunSpec two_steps() {
  RunSpec spec;
  spec.model.layers = 1;
  spec.options.steps = 2;
  spec.options.accumulation = 2;
  spec.options.eval_every = 2;
  spec.options.checkpoint_every = 2;
  spec.source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 20, .validation = 4});
  return spec;
}

TEST(Events, TheWholeSequenceOfATwoStepRun) {
  std::vector<std::string> trace;
  RunSpec spec = two_steps();
  spec.prepare = [&](RankParts& parts) {
    const auto record = [&](const HookInfo& info) { trace.push_back(line_of(info)); };
    parts.hooks.observe(std::make_shared<Watch>("trace", record), kAllHooks);
  };
  train(spec);
  EXPECT_EQ(trace, lines(kWholeRun));
}

TEST(Events, ARankWithoutSamplesSeesTheSameSequence) {
  std::vector<std::vector<std::string>> traces(3);
  RunSpec spec = two_steps();
  spec.ranks = 3;
  spec.source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 5, .validation = 1});
  spec.prepare = [&](RankParts& parts) {
    const auto record = [&own = traces[size_t(parts.rank())]](const HookInfo& info) { own.push_back(line_of(info)); };
    parts.hooks.observe(std::make_shared<Watch>("trace", record), kAllHooks);
  };
  train(spec);
  EXPECT_FALSE(traces[0].empty());
  EXPECT_EQ(traces[0], traces[1]);
  EXPECT_EQ(traces[0], traces[2]);
}

TEST(Events, AResumedRunSaysSo) {
  const TemporaryFolder folder;
  RunSpec spec = two_steps();
  spec.folder = folder.path();
  train(spec);
  spec.resume = folder / "checkpoints/step-2";
  spec.options.steps = 3;
  std::vector<std::string> trace;
  spec.prepare = [&](RankParts& parts) {
    const auto record = [&](const HookInfo& info) { trace.push_back(line_of(info)); };
    parts.hooks.observe(std::make_shared<Watch>("trace", record), kAllHooks);
  };
  train(spec);
  ASSERT_GT(trace.size(), 6u);
  trace.resize(7);
  // The epoch that was under way does not begin again.
  EXPECT_EQ(trace, (std::vector<std::string>{"RUN_BEGIN", "MODEL_DECLARED", "MODEL_BUILT", "OPTIMIZER_BUILT",
                                             "STATE_LOADED", "STEP_BEGIN", "BATCH_READY"}));
}

TEST(Events, FailureIsToldWithItsReason) {
  RunSpec spec = two_steps();
  std::string reason;
  bool ended = false;
  spec.precision.max_bad = 1;
  spec.prepare = [&](RankParts& parts) {
    auto source = std::make_shared<MemorySource>();
    source->samples(Split::kTrain).at(0).tokens.labels[0] = 1000;  // outside the vocabulary
    source->samples(Split::kTrain).resize(1);
    source->samples(Split::kTrain).at(0).tokens.mask[0] = 1;
    parts.source = source;
    watch(parts, {Hook::kRunFailed}, [&](const HookInfo& info) { reason = info.reason; });
    watch(parts, {Hook::kRunEnd}, [&](const HookInfo&) { ended = true; });
  };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kData) << thrown.message;
  EXPECT_NE(reason.find("segment loss (train)"), std::string::npos) << reason;
  EXPECT_FALSE(ended);
}

TEST(Events, NothingBeginsWithoutTrainingSamples) {
  RunSpec spec = two_steps();
  bool begun = false;
  spec.source = std::make_shared<MemorySource>(MemorySourceOptions{.train = 0});
  spec.prepare = [&](RankParts& parts) {
    parts.hooks.observe(std::make_shared<Watch>("any", [&](const HookInfo&) { begun = true; }), kAllHooks);
  };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kData);
  EXPECT_EQ(thrown.message, "the training split has no samples; lower data.validation or add text");
  EXPECT_FALSE(begun);
}

// What the header promises of each field holds at each hook.
TEST(Events, HooksAreGivenWhatTheirFieldsPromise) {
  RunSpec spec = two_steps();
  std::vector<std::string> wrong;
  double last_lr = 0;
  spec.schedule.warmup_steps = 4;
  spec.prepare = [&](RankParts& parts) {
    const auto check = [&](const HookInfo& info) {
      const auto expect = [&](bool holds, const char* what) {
        if (!holds) wrong.push_back(line_of(info) + ": " + what);
      };
      const bool evaluating = info.mode == Mode::kEvaluate;
      const bool in_step = !evaluating && info.hook >= Hook::kBatchReady && info.hook <= Hook::kStepEnd;
      const bool judged = info.hook >= Hook::kVerdict && info.hook <= Hook::kStepEnd;
      const bool of_segment = info.hook >= Hook::kSegmentForward && info.hook <= Hook::kSegmentBackward;
      expect((info.plan != nullptr) == in_step, "plan");
      expect((info.facts != nullptr) == judged, "facts");
      expect((info.batch != nullptr) == (of_segment || (evaluating && info.hook == Hook::kBatchReady)), "batch");
      expect((info.token_loss != nullptr) == (info.hook == Hook::kLoss), "token_loss");
      expect((info.eval != nullptr) == (info.hook == Hook::kEvalEnd), "eval");
      expect((info.path != nullptr) == (info.hook == Hook::kCheckpointSaved), "path");
      if (in_step) expect(info.global_tokens > 0, "global_tokens");
      if (info.hook == Hook::kOptimizerStep) last_lr = info.lr;
      if (info.hook == Hook::kStepEnd) expect(info.lr == last_lr && info.lr > 0, "lr");
    };
    parts.hooks.observe(std::make_shared<Watch>("check", check), kAllHooks);
  };
  train(spec);
  EXPECT_EQ(wrong, std::vector<std::string>());
}

// Passes everything on and notes what is reduced.
class TracingCommunicator final : public Communicator {
 public:
  TracingCommunicator(Communicator& inner, std::vector<std::string>& trace) : inner_(inner), trace_(trace) {}
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  WorkPtr all_reduce(Channel channel, void* data, size_t count, DType type) override {
    trace_.push_back(std::string("all_reduce ") + name_of(channel));
    return inner_.all_reduce(channel, data, count, type);
  }
  WorkPtr reduce_scatter(Channel channel, const void* in, void* out, size_t count, DType type) override {
    return inner_.reduce_scatter(channel, in, out, count, type);
  }
  WorkPtr all_gather(Channel channel, const void* in, void* out, size_t bytes) override {
    return inner_.all_gather(channel, in, out, bytes);
  }
  WorkPtr broadcast(Channel channel, void* data, size_t bytes, int root) override {
    return inner_.broadcast(channel, data, bytes, root);
  }
  WorkPtr barrier(Channel channel) override { return inner_.barrier(channel); }
  void abort(const std::string& reason) override { inner_.abort(reason); }
  std::optional<AbortInfo> aborted() const override { return inner_.aborted(); }

 private:
  Communicator& inner_;
  std::vector<std::string>& trace_;
};

TEST(Overlap, TheFirstBucketIsPostedBeforeTheFirstSegmentsBackward) {
  std::vector<std::vector<std::string>> traces(2);
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 1;
  spec.options.accumulation = 2;
  spec.prepare = [&](RankParts& parts) {
    std::vector<std::string>& trace = traces[size_t(parts.rank())];
    parts.comm = parts.own<TracingCommunicator>(*parts.comm, trace);
    watch(parts, {Hook::kSegmentBackward}, [&trace](const HookInfo& info) { trace.push_back(line_of(info)); });
  };
  train(spec);
  EXPECT_EQ(traces[0], traces[1]);
  const auto& trace = traces[0];
  const auto posted = std::find(trace.begin(), trace.end(), "all_reduce reduce");
  const auto first_micro_batch = std::find(trace.begin(), trace.end(), "SEGMENT_BACKWARD embedding");
  ASSERT_NE(first_micro_batch, trace.end());
  const auto last_micro_batch = std::find(first_micro_batch + 1, trace.end(), "SEGMENT_BACKWARD embedding");
  EXPECT_LT(first_micro_batch, posted);  // reduced once a step, in the last micro-batch
  EXPECT_LT(posted, last_micro_batch);
  ASSERT_NE(last_micro_batch, trace.end());
  EXPECT_GE(std::count(trace.begin(), trace.end(), "all_reduce reduce"), 2);
}

}  // namespace
}  // namespace sz::test
