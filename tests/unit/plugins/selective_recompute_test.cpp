// Whole runs with plugins/selective_recompute on and off.
#include <ATen/autocast_mode.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>

#include <cstring>

#include "train/generator.h"
#include "unit/plugins/amp_o2_run.h"
#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;

// Fp16 masters' mirrors for matrices, fp16 between segments, a loss scale: amp_o2's plan at its simplest.
class HalfPrecision final : public Precision {
 public:
  std::string name() const override { return "half"; }
  DtypePlan plan(const ModelDeclaration& model) override {
    DtypePlan plan;
    plan.parameters.resize(model.parameters.size());
    plan.segments.resize(model.segments.size());
    for (size_t i = 0; i < model.parameters.size(); ++i) {
      const Role role = model.parameters[i].role;
      if (role != Role::kNorm) plan.parameters[i].compute = DType::kF16;
    }
    for (SegmentDtypes& segment : plan.segments) segment.activation = DType::kF16;
    return plan;
  }
  double scale() const override { return 256; }
  Vote judge(const StepFacts&) override { return {}; }
};

enum class Arithmetic { kFp32, kBf16, kFp16 };

RunSpec spec_in(Arithmetic arithmetic) {
  RunSpec spec;
  spec.options.accumulation = 2;
  spec.precision.bf16 = arithmetic == Arithmetic::kBf16;
  if (arithmetic == Arithmetic::kFp16) {
    spec.prepare = [](RankParts& parts) { parts.precision = std::make_unique<HalfPrecision>(); };
  }
  return spec;
}

class Exact : public testing::TestWithParam<Arithmetic> {};

TEST_P(Exact, EveryPolicyGivesTheSameBitsFor20Steps) {
  const TemporaryFolder folder;
  const RunSpec spec = spec_in(GetParam());
  const RunResult off = train(spec);
  ASSERT_EQ(off.outcome.state.step, 20);
  for (const nlohmann::json& line : with(off.metrics, "loss")) ASSERT_TRUE(line.at("loss").is_number());
  for (const std::string keys :
       {"policy = \"after_first_dropout\"", "policy = \"all\"", "policy = \"every_n\"\nevery = 2",
        "policy = \"list\"\nsegments = [\"*.attention\", \"final_norm\"]", "policy = \"cheap\"",
        "policy = \"budget\"\nmemory_mb = 0.05", "policy = \"off\""}) {
    SCOPED_TRACE(keys);
    expect_same_run(train_with(spec, recompute(keys)), off);
    if (HasFatalFailure()) return;
  }
  for (const char* policy : {"all", "after_first_dropout", "cheap"}) {
    SCOPED_TRACE(std::string("offload with ") + policy);
    expect_same_run(train_with(spec, recompute(std::string("policy = \"") + policy + "\"\noffload = \"host\"\n" +
                                               "offload_path = \"" + folder.path() + "\"")),
                    off);
  }
}

INSTANTIATE_TEST_SUITE_P(Recompute, Exact,
                         testing::Values(Arithmetic::kFp32, Arithmetic::kBf16, Arithmetic::kFp16),
                         [](const auto& info) {
                           return std::string(info.param == Arithmetic::kFp32   ? "fp32"
                                              : info.param == Arithmetic::kBf16 ? "bf16"
                                                                                : "fp16");
                         });

// The real plugin in the precision slot: fp16 with a dynamic loss scale.
TEST(Recompute, UnderAmpO2) {
  for (const char* level : {"opt_level = \"O2\"", "opt_level = \"O1\"", "opt_level = \"O2\"\ndtype = \"bf16\""}) {
    SCOPED_TRACE(level);
    AmpRun amp;
    amp.spec.options.steps = 20;
    amp.keys = level;
    const RunResult off = train_amp(amp).run;
    for (const char* keys : {"policy = \"after_first_dropout\"", "policy = \"all\"", "policy = \"cheap\"",
                             "policy = \"every_n\"", "policy = \"budget\"\nmemory_mb = 0.05"}) {
      SCOPED_TRACE(keys);
      amp.more = recompute(keys);
      expect_same_run(train_amp(amp).run, off);
    }
  }
}

TEST(Recompute, ChunksOfRowsAgreeTo1e6) {
  RunSpec spec;
  spec.options.micro_batch = 5;
  spec.options.steps = 10;
  const RunResult off = train(spec);
  for (const int slices : {2, 3, 16}) {
    const RunResult on = train_with(spec, recompute("policy = \"all\"\nslices = " + std::to_string(slices)));
    EXPECT_LE(relative_difference(off.arrays, on.arrays), 1e-6) << slices;
  }
}

TEST(Recompute, FrozenParametersStayAndTheOthersAreTheSame) {
  RunSpec spec;
  spec.prepare = [](RankParts& parts) {
    for (ParameterDeclaration& p : parts.model.parameters) {
      if (p.name.find("block.1.mlp") == 0 || p.name == "block.0.attention.qkv.weight") p.trainable = false;
    }
  };
  const RunResult off = train(spec);
  for (const char* policy : {"all", "after_first_dropout", "cheap"}) {
    expect_same_run(train_with(spec, recompute(std::string("policy = \"") + policy + "\"")), off);
  }
  RunSpec one = spec;
  one.options.steps = 1;
  const RunResult start = train_with(one, recompute("policy = \"all\""));
  const auto first = [](const RunResult& run, const char* name) { return run.arrays.at(name); };
  EXPECT_EQ(first(start, "block.1.mlp.up.weight/master"), first(off, "block.1.mlp.up.weight/master"));
  // Behind the frozen segment, and reached by token ids alone.
  EXPECT_NE(first(start, "block.0.mlp.up.weight/master"), first(off, "block.0.mlp.up.weight/master"));
  EXPECT_NE(first(start, "embedding.position/master"), first(off, "embedding.position/master"));
}

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
  RunSpec spec = spec_in(Arithmetic::kBf16);
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

class AutogradSegment final : public WrappedSegment {
 public:
  using WrappedSegment::WrappedSegment;
  bool has_backward() const override { return false; }
  int save_levels() const override { return 0; }
};

TEST(Recompute, SegmentsWithoutAHandWrittenBackward) {
  RunSpec spec;
  spec.prepare = [](RankParts& parts) {
    for (size_t i = 0; i + 1 < parts.model.segments.size(); ++i) {
      auto& segment = parts.model.segments[i].segment;
      segment = std::make_shared<AutogradSegment>(segment);
    }
  };
  const RunResult off = train(spec);
  for (const char* policy : {"all", "after_first_dropout", "cheap"}) {
    expect_same_run(train_with(spec, recompute(std::string("policy = \"") + policy + "\"")), off);
  }
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
  EXPECT_THAT(error_of({}, recompute("offload = \"host\"\noffload_path = \"/nowhere\"")), HasSubstr("/nowhere"));
}

// Parameters have their bytes between acquire and release alone, as a sharded residency's, and NaN otherwise.
class PoisonedResidency final : public Residency {
 public:
  explicit PoisonedResidency(std::unique_ptr<Residency> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return "poisoned"; }
  void build(const Setup& setup) override {
    inner_->build(setup);
    own_.resize(setup.model->segments.size());
  }
  TensorList acquire(int segment, Mode mode) override {
    const TensorList real = inner_->acquire(segment, mode);
    TensorList& own = own_[size_t(segment)];
    for (size_t i = own.size(); i < real.size(); ++i) {
      own.push_back(real[i].detach().clone().requires_grad_(real[i].requires_grad()));
    }
    for (size_t i = 0; i < real.size(); ++i) std::memcpy(own[i].data_ptr(), real[i].data_ptr(), real[i].nbytes());
    most_ = std::max(most_, ++there_);
    return own;
  }
  void release(int segment, Mode mode) override {
    for (at::Tensor& t : own_[size_t(segment)]) std::memset(t.data_ptr(), 0xFF, t.nbytes());
    --there_;
    inner_->release(segment, mode);
  }
  int most() const { return most_; }

  TensorList acquire_head() override { return inner_->acquire_head(); }
  void hold_all() override { inner_->hold_all(); }
  void let_go() override { inner_->let_go(); }
  void begin_step() override { inner_->begin_step(); }
  void accumulate(int segment, int micro_batch, bool last, TensorList gradients) override {
    inner_->accumulate(segment, micro_batch, last, std::move(gradients));
  }
  void finish_gradients() override { inner_->finish_gradients(); }
  GradientFacts gradient_facts() override { return inner_->gradient_facts(); }
  void for_each_unit(const std::function<void(UpdateUnit&)>& visit) override { inner_->for_each_unit(visit); }
  void parameters_updated() override { inner_->parameters_updated(); }
  bool can_restore() const override { return inner_->can_restore(); }
  void mark_stable() override { inner_->mark_stable(); }
  void restore() override { inner_->restore(); }
  void export_pieces(const std::function<void(const ExportPiece&)>& visit) override { inner_->export_pieces(visit); }
  void import_pieces(const std::function<void(const ExportPiece&)>& fill) override { inner_->import_pieces(fill); }

 private:
  std::unique_ptr<Residency> inner_;
  std::vector<TensorList> own_;
  int there_ = 0, most_ = 0;
};

TEST(Recompute, ParametersAreThereWhenASegmentRunsAgainAndGoneAfter) {
  RunSpec spec;
  spec.options.steps = 5;
  const RunResult off = train(spec);
  int most = 0;
  spec.prepare = [](RankParts& parts) {
    parts.residency = std::make_unique<PoisonedResidency>(std::move(parts.residency));
  };
  spec.finish = [&](RankParts& parts, Trainer&) { most = static_cast<PoisonedResidency&>(*parts.residency).most(); };
  for (const char* policy : {"all", "cheap", "after_first_dropout"}) {
    const RunResult on = train_with(spec, recompute(std::string("policy = \"") + policy + "\""));
    expect_identical(on.arrays, off.arrays);
    EXPECT_EQ(most, 1) << policy;
  }
}

TEST(Recompute, UnderShardedResidency) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.accumulation = 2;
  const std::string stage = "stage = 3\npersist_threshold = 0";
  const RunResult off = train_sharded(spec, stage);
  for (const char* keys : {"policy = \"all\"", "policy = \"cheap\"", "policy = \"budget\"\nmemory_mb = 0.04"}) {
    expect_same_run(train_sharded(spec, stage, recompute(keys)), off);
  }
}

}  // namespace
}  // namespace sz::test
