// Whole runs with plugins/selective_recompute, and segments that watch or disturb them.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "unit/plugins/sharded_run.h"

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

// Six layers of width 64 on samples of up to 64 tokens.
inline RunSpec large_spec() {
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

inline void count(RankParts& parts, Counts& counts) {
  for (SegmentDeclaration& s : parts.model.segments) {
    s.segment = std::make_shared<CountingSegment>(s.segment, s.name, counts);
  }
}

}  // namespace sz::test
