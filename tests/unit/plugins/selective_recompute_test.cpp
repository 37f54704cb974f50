// Whole runs with plugins/selective_recompute: what runs again, with what, and what is said where it fails.
#include <ATen/autocast_mode.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "train/generator.h"
#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;

// The head's matrix is the embedding's: one gradient from the first segment, which has token ids for its input, and one
// from the last.
TEST(Recompute, ATiedEmbeddingGetsTheGradientsOfBothItsSegments) {
  RunSpec spec;
  spec.options.steps = 1;
  int users = 0;
  spec.prepare = [&](RankParts& parts) {
    const auto& parameters = parts.model.parameters;
    users = 0;
    for (const SegmentDeclaration& segment : parts.model.segments) {
      for (const int p : segment.parameters) users += parameters[size_t(p)].name == "embedding.token";
    }
  };
  const RunResult off = train(spec), on = train_with(spec, recompute_policy("all"));
  EXPECT_EQ(users, 2);
  expect_same_run(on, off);
  const auto& moment = on.arrays.at("embedding.token/exp_avg");
  EXPECT_TRUE(std::any_of(moment.begin(), moment.end(), [](float m) { return m != 0; }));
}

TEST(Recompute, EvaluationAndGenerationRecomputeNothing) {
  Counts counts;
  RunSpec spec;
  spec.options.steps = 4;
  spec.options.eval_every = 2;
  spec.prepare = [&](RankParts& parts) { count(parts, counts); };
  spec.finish = [&](RankParts& parts, Trainer& trainer) {
    const Counts before = counts;
    GenerateOptions options;
    options.tokens = 5;
    EXPECT_EQ(generate(trainer.runner(), *parts.residency, parts.model, {1, 2, 3}, options).size(), 5u);
    for (const auto& [what, number] : counts) {
      if (what.second == Mode::kGenerate) continue;
      EXPECT_EQ(number, before.at(what)) << what.first;
    }
  };
  train_with(spec, recompute(""));
  const auto of = [&](const std::string& name, Mode mode) { return counts[{name, mode}]; };
  EXPECT_EQ(of("block.0.mlp", Mode::kTrain), 4);
  EXPECT_EQ(of("block.0.mlp", Mode::kRecompute), 4);
  EXPECT_EQ(of("block.1.mlp", Mode::kRecompute), 4);
  EXPECT_GT(of("block.0.mlp", Mode::kEvaluate), 0);
  EXPECT_GT(of("block.0.mlp", Mode::kGenerate), 0);
  for (const char* kept : {"embedding", "block.0.attention", "block.1.attention", "final_norm", "loss"}) {
    EXPECT_EQ(of(kept, Mode::kRecompute), 0) << kept;
  }
}

// Keeps what it gave in forward and looks at it again in recompute: the same dropout mask, the same bits.
class RememberingSegment final : public WrappedSegment {
 public:
  RememberingSegment(std::shared_ptr<const Segment> inner, int& compared) : WrappedSegment(inner), compared_(compared) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    // Autocast's cache of weights would outlive an update of the weights.
    EXPECT_FALSE(at::autocast::is_autocast_cache_enabled());
    const TensorList outputs = WrappedSegment::forward(context, parameters, inputs, saved);
    if (context.mode == Mode::kTrain) given_ = outputs[0].detach().clone();
    if (context.mode == Mode::kRecompute) {
      EXPECT_TRUE(at::equal(outputs[0].detach(), given_));
      ++compared_;
    }
    return outputs;
  }

 private:
  mutable at::Tensor given_;
  int& compared_;
};

TEST(Recompute, MasksAreTheSameAgainAndNoCastIsCached) {
  int compared = 0;
  RunSpec spec;
  spec.precision.bf16 = true;
  spec.options.accumulation = 2;
  spec.options.steps = 5;
  spec.prepare = [&](RankParts& parts) {
    at::autocast::set_autocast_cache_enabled(true);
    for (size_t i = 0; i + 1 < parts.model.segments.size(); ++i) {
      auto& segment = parts.model.segments[i].segment;
      segment = std::make_shared<RememberingSegment>(segment, compared);
    }
  };
  train_with(spec, recompute_policy("all"));
  EXPECT_EQ(compared, 5 * 2 * 6);
}

class FailingSegment final : public WrappedSegment {
 public:
  using WrappedSegment::WrappedSegment;
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    if (context.mode == Mode::kRecompute) throw std::runtime_error("no second time");
    return WrappedSegment::forward(context, parameters, inputs, saved);
  }
};

std::string error_of(const RunSpec& spec, const std::string& plugins) {
  try {
    train_with(spec, plugins);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(Recompute, AnErrorNamesItsSegment) {
  RunSpec spec;
  spec.prepare = [](RankParts& parts) {
    auto& segment = parts.model.segments[4];
    ASSERT_EQ(segment.name, "block.1.mlp");
    segment.segment = std::make_shared<FailingSegment>(segment.segment);
  };
  for (const char* slices : {"1", "2"}) {
    const std::string error = error_of(spec, recompute(std::string("slices = ") + slices));
    EXPECT_THAT(error, HasSubstr("block.1.mlp"));
    EXPECT_THAT(error, HasSubstr("no second time"));
  }
}

TEST(Recompute, AConfigurationThatFitsNothingEndsTheRun) {
  EXPECT_THAT(error_of({}, recompute("policy = \"list\"\nsegments = [\"block.*.mpl\"]")), HasSubstr("fits no segment"));
  EXPECT_THAT(error_of({}, recompute("policy = \"list\"")), HasSubstr("needs segments"));
  EXPECT_THAT(error_of({}, recompute("policy = \"budget\"")), HasSubstr("needs memory_mb"));
}

}  // namespace
}  // namespace sz::test
