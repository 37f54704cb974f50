// Whole runs with plugins/selective_recompute on and off.
#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "ops/allocator.h"
#include "train/generator.h"
#include "unit/plugins/sharded_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;

const bool kCounted = (install_allocator(), true);  // before the first tensor

std::string recompute(const std::string& keys) {
  return "[plugins.selective_recompute]\nenabled = true\n" + keys + "\n";
}

RunResult train_with(RunSpec spec, const std::string& plugins, const std::string& decisions = "") {
  const auto prepare = spec.prepare;
  spec.prepare = [=](RankParts& parts) {
    if (prepare) prepare(parts);
    use_plugins(parts, plugins, decisions);
  };
  return train(spec);
}

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

// Every number of every step, and all that is left at the end.
void expect_same_run(const RunResult& on, const RunResult& off) {
  ASSERT_EQ(on.outcome.state.step, off.outcome.state.step);
  expect_identical(on.arrays, off.arrays);
  ASSERT_EQ(on.metrics.size(), off.metrics.size());
  for (size_t i = 0; i < on.metrics.size(); ++i) {
    for (const char* key : {"loss", "grad_norm", "eval_loss", "tokens"}) {
      EXPECT_EQ(on.metrics[i].value(key, nlohmann::json()), off.metrics[i].value(key, nlohmann::json())) << key;
    }
  }
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

// A segment that hands everything on and counts, or that differs from what it wraps in one way.
class WrappedSegment : public Segment {
 public:
  explicit WrappedSegment(std::shared_ptr<const Segment> inner) : inner_(std::move(inner)) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    return inner_->forward(context, parameters, inputs, saved);
  }
  bool has_backward() const override { return inner_->has_backward(); }
  SegmentGradients backward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                            const TensorList& saved, const TensorList& grads) const override {
    return inner_->backward(context, parameters, inputs, saved, grads);
  }
  int save_levels() const override { return inner_->save_levels(); }

 protected:
  std::shared_ptr<const Segment> inner_;
};

using Counts = std::map<std::pair<std::string, Mode>, int>;

class CountingSegment final : public WrappedSegment {
 public:
  CountingSegment(std::shared_ptr<const Segment> inner, std::string name, Counts& counts)
      : WrappedSegment(std::move(inner)), name_(std::move(name)), counts_(counts) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    ++counts_[{name_, context.mode}];
    return WrappedSegment::forward(context, parameters, inputs, saved);
  }

 private:
  std::string name_;
  Counts& counts_;
};

void count(RankParts& parts, Counts& counts) {
  for (SegmentDeclaration& s : parts.model.segments) {
    s.segment = std::make_shared<CountingSegment>(s.segment, s.name, counts);
  }
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

// --- memory, from the allocator ----------------------------------------------------------------------------------

struct Memory {
  double activations = 0;  // live after forward, before backward, beyond what lived before forward
  double peak = 0;         // during backward, beyond the same
};

RunSpec large_spec() {
  RunSpec spec;
  spec.options.steps = 3;
  spec.options.micro_batch = 4;
  spec.model.layers = 6;
  spec.model.width = 64;
  spec.model.context = 64;
  MemorySourceOptions source;
  source.context = 64;
  spec.source = std::make_shared<MemorySource>(source);
  return spec;
}

// Of the third step: gradients and optimizer state have their memory by then.
Memory memory_with(const std::string& plugins, RunSpec spec = large_spec()) {
  Memory memory;
  const auto prepare = spec.prepare;
  spec.prepare = [&memory, prepare](RankParts& parts) {
    if (prepare) prepare(parts);
    auto base = std::make_shared<double>(-1);
    watch(parts, {Hook::kStepBegin, Hook::kBatchReady, Hook::kLoss, Hook::kGradientsReduced},
          [&memory, base](const HookInfo& at) {
            if (at.hook == Hook::kStepBegin && at.attempt == 3) *base = 0;
            if (*base < 0) return;  // other steps, and evaluation
            if (at.hook == Hook::kBatchReady) *base = double(allocator_stats().live_bytes);
            if (at.hook == Hook::kLoss) {
              memory.activations = double(allocator_stats().live_bytes) - *base;
              reset_peak();
            }
            if (at.hook == Hook::kGradientsReduced) {
              memory.peak = double(allocator_stats().peak_bytes) - *base;
              *base = -1;
            }
          });
  };
  plugins.empty() ? train(spec) : train_with(spec, plugins);
  return memory;
}

TEST(RecomputeMemory, PoliciesHoldLessDuringBackward) {
  ASSERT_TRUE(kCounted);
  const Memory off = memory_with("");
  ASSERT_GT(off.activations, 0);
  const auto with_policy = [](const char* policy) {
    return memory_with(recompute(std::string("policy = \"") + policy + "\""));
  };
  const Memory all = with_policy("all"), half = with_policy("after_first_dropout"), cheap = with_policy("cheap");
  // A block holds 16 widths a token: x, norm, qkv 3, mixed, x, norm, up 4, activation 4. "all" leaves 2, "cheap" 10,
  // the default 7. Embedding, final norm and the loss's gradients come on top of all of them.
  EXPECT_LE(all.activations, 0.35 * off.activations);
  EXPECT_LE(half.activations, 0.60 * off.activations);
  EXPECT_LE(cheap.activations, 0.75 * off.activations);
  EXPECT_LE(all.peak, 0.55 * off.peak);
  EXPECT_LE(half.peak, 0.75 * off.peak);
  EXPECT_LE(cheap.peak, 0.80 * off.peak);
  EXPECT_LT(all.activations, half.activations);
  EXPECT_LT(half.activations, cheap.activations);
}

TEST(RecomputeMemory, ChunksOfRowsLowerTheTransientPeak) {
  const Memory whole = memory_with(recompute("policy = \"all\""));
  const Memory sliced = memory_with(recompute("policy = \"all\"\nslices = 4"));
  EXPECT_LE(sliced.activations, whole.activations);
  EXPECT_LE(sliced.peak, 0.85 * whole.peak);
}

// Hands on a view of something 64 times as large.
class ViewSegment final : public WrappedSegment {
 public:
  using WrappedSegment::WrappedSegment;
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    const at::Tensor y = WrappedSegment::forward(context, parameters, inputs, nullptr)[0];
    return {y.unsqueeze(0).expand({64, -1, -1, -1}).contiguous().select(0, 63)};
  }
  bool has_backward() const override { return false; }
  int save_levels() const override { return 0; }
};

TEST(RecomputeMemory, AViewDoesNotKeepItsBaseAlive) {
  RunSpec spec = large_spec();
  const Memory plain = memory_with(recompute("policy = \"all\""), spec);
  spec.prepare = [](RankParts& parts) {
    auto& segment = parts.model.segments[2].segment;
    segment = std::make_shared<ViewSegment>(segment);
  };
  EXPECT_LE(memory_with(recompute("policy = \"all\""), spec).activations, 1.01 * plain.activations);
}

// --- decisions and budget ----------------------------------------------------------------------------------------

std::vector<nlohmann::json> of_kind(const std::vector<nlohmann::json>& lines, const std::string& what) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& line : lines) {
    if (line.at("what") == what) found.push_back(line);
  }
  return found;
}

TEST(RecomputeDecisions, EachSegmentAtStartAndWhatWasMeasured) {
  const TemporaryFolder folder;
  const std::string path = folder / "decisions.jsonl";
  train_with(RunSpec(), recompute(""), path);
  const auto lines = json_lines(path);
  const auto start = of_kind(lines, "activations"), measured = of_kind(lines, "activations_measured");
  ASSERT_EQ(start.size(), 7u);
  for (const nlohmann::json& line : start) {
    const std::string segment = line.at("segment");
    const bool again = segment.find(".mlp") != std::string::npos;
    EXPECT_EQ(line.at("to"), again ? "recomputed" : "kept") << segment;
    EXPECT_EQ(line.at("cause"), "policy after_first_dropout");
    EXPECT_GT(line.at("held_bytes").get<int64_t>(), 0) << segment;
    EXPECT_EQ(line.at("expected_cost_percent").get<double>() > 0, again);
    EXPECT_EQ(line.at("expected_given_back_bytes").get<int64_t>() > 0, again);
  }
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].at("kind"), "block.#.mlp");
  EXPECT_EQ(measured[0].at("segments"), 2);
  EXPECT_GT(measured[0].at("given_back_bytes").get<int64_t>(), 0);
  EXPECT_GT(measured[0].at("cost_microseconds").get<double>(), 0);
}

TEST(RecomputeDecisions, WhatIsExpectedOfShapesIsWhatIsGivenBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "decisions.jsonl";
  RunSpec spec = large_spec();
  spec.options.steps = 12;
  for (auto& sample : const_cast<MemorySource&>(static_cast<const MemorySource&>(*spec.source)).samples(Split::kTrain)) {
    sample.tokens.ids.resize(64, 1);
    sample.tokens.labels.resize(64, 1);
    sample.tokens.mask.resize(64, 1.0f);
  }
  train_with(spec, recompute("policy = \"all\""), path);
  const auto lines = json_lines(path);
  std::map<std::string, double> expected;
  for (const auto& line : of_kind(lines, "activations")) {
    expected[line.at("segment")] = line.at("expected_given_back_bytes");
  }
  for (const auto& line : of_kind(lines, "activations_measured")) {
    const std::string kind = line.at("kind");
    if (kind.rfind("block", 0) != 0) continue;
    const double guess = expected.at(kind == "block.#.mlp" ? "block.0.mlp" : "block.0.attention");
    EXPECT_NEAR(line.at("given_back_bytes").get<double>(), guess, 0.1 * guess) << kind;
  }
}

TEST(RecomputeBudget, AllRanksTakeRankZerosChoice) {
  const TemporaryFolder folder;
  std::mutex mutex;
  std::vector<std::shared_ptr<Counts>> counts(2);
  RunSpec spec = large_spec();
  spec.ranks = 2;
  spec.options.steps = 16;
  const RunResult off = train(spec);
  spec.prepare = [&](RankParts& parts) {
    const std::lock_guard lock(mutex);
    auto own = std::make_shared<Counts>();
    counts[size_t(parts.rank())] = own;
    count(parts, *own);
    watch(parts, {Hook::kStepBegin}, [own](const HookInfo& at) {
      if (at.attempt == 13) own->clear();
    });
  };
  const std::string path = folder / "decisions.jsonl";
  const RunResult on = train_with(spec, recompute("policy = \"budget\"\nmemory_mb = 2.0"), path);
  expect_same_run(on, off);
  EXPECT_EQ(*counts[0], *counts[1]);
  const auto lines = json_lines(path);
  const auto budget = of_kind(lines, "budget");
  ASSERT_EQ(budget.size(), 1u);
  EXPECT_TRUE(budget[0].at("fits").get<bool>());
  EXPECT_LE(budget[0].at("held_bytes").get<int64_t>(), 2 << 20);
  int again = 0;
  for (const auto& [what, number] : *counts[0]) again += what.second == Mode::kRecompute;
  EXPECT_GT(again, 0);   // 2 MiB are less than everything
  EXPECT_LT(again, 13);  // and more than nothing
}

TEST(RecomputeBudget, OneThatCannotBeMetSaysSo) {
  const TemporaryFolder folder;
  const std::string path = folder / "decisions.jsonl";
  train_with(RunSpec(), recompute("policy = \"budget\"\nmemory_mb = 0.001"), path);
  const auto budget = of_kind(json_lines(path), "budget");
  ASSERT_EQ(budget.size(), 1u);
  EXPECT_FALSE(budget[0].at("fits").get<bool>());
}

}  // namespace
}  // namespace sz::test
