// Whole runs with plugins/selective_recompute, and segments that watch or disturb them.
#pragma once
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "ops/allocator.h"
#include "unit/plugins/amp_o2_run.h"

namespace sz::test {

inline std::string recompute(const std::string& keys) {
  return "[plugins.selective_recompute]\nenabled = true\n" + keys + "\n";
}
inline std::string recompute_policy(const std::string& policy) { return recompute("policy = \"" + policy + "\""); }

inline RunResult train_with(RunSpec spec, const std::string& plugins, const std::string& decisions = "") {
  const auto prepare = spec.prepare;
  spec.prepare = [=](RankParts& parts) {
    if (prepare) prepare(parts);
    use_plugins(parts, plugins, decisions);
  };
  return train(spec);
}

// --- arithmetics ----------------------------------------------------------------------------------------------------

// Fp16 mirrors for matrices, fp16 between segments, a fixed loss scale: amp_o2's plan at its simplest.
class HalfPrecision final : public Precision {
 public:
  std::string name() const override { return "half"; }
  DtypePlan plan(const ModelDeclaration& model) override {
    DtypePlan plan;
    plan.parameters.resize(model.parameters.size());
    plan.segments.resize(model.segments.size());
    for (size_t i = 0; i < model.parameters.size(); ++i) {
      if (model.parameters[i].role != Role::kNorm) plan.parameters[i].compute = DType::kF16;
    }
    for (SegmentDtypes& segment : plan.segments) segment.activation = DType::kF16;
    return plan;
  }
  double scale() const override { return 256; }
  Vote judge(const StepFacts&) override { return {}; }
};

struct Arithmetic {
  std::string name;
  bool bf16 = false, half = false;  // the runtime's autocast; HalfPrecision
  std::string amp = "";             // keys of [plugins.amp_o2], which is enabled where there are any
};
inline void PrintTo(const Arithmetic& a, std::ostream* out) { *out << a.name; }

inline const Arithmetic kFp32 = {"fp32"};
inline std::vector<Arithmetic> all_arithmetics() {
  return {kFp32,
          {"bf16", true},
          {"fp16", false, true},
          {"amp_O1_fp16", false, false, "opt_level = \"O1\""},
          {"amp_O1_bf16", false, false, "opt_level = \"O1\"\ndtype = \"bf16\""},
          {"amp_O2_fp16", false, false, "opt_level = \"O2\""},
          {"amp_O2_bf16", false, false, "opt_level = \"O2\"\ndtype = \"bf16\""}};
}

inline RunResult train_in(const Arithmetic& arithmetic, RunSpec spec, const std::string& plugins,
                          const std::string& decisions = "") {
  spec.precision.bf16 = arithmetic.bf16;
  const std::string amp = arithmetic.amp.empty() ? "" : "[plugins.amp_o2]\nenabled = true\n" + arithmetic.amp + "\n";
  const auto prepare = spec.prepare;
  spec.prepare = [=](RankParts& parts) {
    if (arithmetic.half) parts.precision = std::make_unique<HalfPrecision>();
    if (prepare) prepare(parts);
    RankPlugins* const loaded = use_plugins(parts, amp + plugins, decisions);
    if (Precision* owner = loaded->host.precision()) parts.precision = std::make_unique<LentPrecision>(*owner);
  };
  return train(spec);
}

// --- decisions ------------------------------------------------------------------------------------------------------

inline std::vector<nlohmann::json> of_kind(const std::vector<nlohmann::json>& lines, const std::string& what) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& line : lines) {
    if (line.at("what") == what) found.push_back(line);
  }
  return found;
}

// All that a run of the plugin with these keys decides.
inline std::vector<nlohmann::json> decisions_with(const Arithmetic& arithmetic, const RunSpec& spec,
                                                  const std::string& keys) {
  const TemporaryFolder folder;
  train_in(arithmetic, spec, recompute(keys), folder / "decisions.jsonl");
  return json_lines(folder / "decisions.jsonl");
}

// --- memory, from the allocator -------------------------------------------------------------------------------------

inline const bool kCounted = (install_allocator(), true);  // before the first tensor

struct Memory {
  double activations = 0;  // live after forward, before backward, beyond what lived before forward
  double peak = 0;         // during backward, beyond the same
};

// Of one step: from the third on gradients and optimizer state have their memory.
inline Memory memory_with(const std::string& plugins, RunSpec spec, int64_t attempt = 3) {
  Memory memory;
  const auto prepare = spec.prepare;
  spec.options.steps = attempt;
  spec.prepare = [&memory, prepare, attempt](RankParts& parts) {
    if (prepare) prepare(parts);
    auto base = std::make_shared<double>(-1);
    watch(parts, {Hook::kStepBegin, Hook::kBatchReady, Hook::kLoss, Hook::kGradientsReduced},
          [&memory, base, attempt](const HookInfo& at) {
            if (at.hook == Hook::kStepBegin && at.attempt == attempt) *base = 0;
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

// --- comparing runs -------------------------------------------------------------------------------------------------

// Every number of every step, and all that is left at the end.
inline void expect_same_run(const RunResult& on, const RunResult& off) {
  ASSERT_EQ(on.outcome.state.step, off.outcome.state.step);
  expect_identical(on.arrays, off.arrays);
  ASSERT_EQ(on.metrics.size(), off.metrics.size());
  for (size_t i = 0; i < on.metrics.size(); ++i) {
    for (const char* key : {"loss", "grad_norm", "eval_loss", "tokens"}) {
      EXPECT_EQ(on.metrics[i].value(key, nlohmann::json()), off.metrics[i].value(key, nlohmann::json())) << key;
    }
  }
}

// The whole rectangle is real: every sample as long as the context.
inline void fill_rows(RunSpec& spec) {
  auto full = std::make_shared<MemorySource>(static_cast<const MemorySource&>(*spec.source));
  for (MemorySource::Sample& sample : full->samples(Split::kTrain)) {
    sample.tokens.ids.resize(size_t(spec.model.context), 1);
    sample.tokens.labels.resize(size_t(spec.model.context), 1);
    sample.tokens.mask.resize(size_t(spec.model.context), 1.0f);
  }
  spec.source = full;
}

// Three steps of a model of that size, on samples of up to `context` tokens.
inline RunSpec spec_of(int64_t layers, int64_t width, int64_t context, int64_t micro_batch) {
  RunSpec spec;
  spec.options.steps = 3;
  spec.options.micro_batch = micro_batch;
  spec.model.layers = layers;
  spec.model.width = width;
  spec.model.context = context;
  MemorySourceOptions source;
  source.context = context;
  spec.source = std::make_shared<MemorySource>(source);
  return spec;
}

inline RunSpec large_spec() { return spec_of(6, 64, 64, 4); }

// --- segments -------------------------------------------------------------------------------------------------------

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

// Without the hand-written backward of what it wraps.
class AutogradSegment final : public WrappedSegment {
 public:
  using WrappedSegment::WrappedSegment;
  bool has_backward() const override { return false; }
  int save_levels() const override { return 0; }
};

inline void differentiate_by_autograd(RankParts& parts) {
  for (size_t i = 0; i + 1 < parts.model.segments.size(); ++i) {
    auto& segment = parts.model.segments[i].segment;
    segment = std::make_shared<AutogradSegment>(segment);
  }
}

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

inline void count(RankParts& parts, Counts& counts) {
  for (SegmentDeclaration& s : parts.model.segments) {
    s.segment = std::make_shared<CountingSegment>(s.segment, s.name, counts);
  }
}

}  // namespace sz::test
