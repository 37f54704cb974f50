// One micro-batch through a tiny model: by the runner, and as one whole autograd graph.
#pragma once
#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones_like.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>
#include <vector>

#include "data/batches.h"
#include "model/services.h"
#include "train/segment_runner.h"
#include "unit/train/leaf_residency.h"
#include "unit/train/memory_source.h"

namespace sz::test {

inline constexpr uint64_t kSeed = 7;

inline ModelOptions tiny_options(double dropout = 0.1) {
  return {.type = "GPT-2", .layers = 2, .width = 32, .heads = 2, .context = 24, .vocabulary = 97, .dropout = dropout};
}

// Four samples of very different lengths; positions as a sampler would give them.
inline MicroBatch tiny_batch() {
  const MemorySource source;
  Plan plan;
  for (const int64_t sample : {4, 1, 6, 3}) {
    PlanItem item;
    item.sample = sample;
    item.position = uint64_t(100 + sample);
    plan.push_back(item);
  }
  return make_micro_batch(source, Split::kTrain, plan, {0, 4});
}

inline std::vector<float> mean_weights(const MicroBatch& batch) {
  std::vector<float> weights = batch.mask;
  for (float& w : weights) w /= float(batch.tokens);
  return weights;
}

// A model, its parameters and a runner over them.
struct Passes {
  ModelDeclaration model;
  LeafResidency residency;
  HookTable hooks;
  MicroBatch batch = tiny_batch();
  std::vector<float> weights = mean_weights(batch);

  explicit Passes(at::ScalarType type = at::kFloat, const ModelOptions& options = tiny_options())
      : Passes(type, make_gpt2()->declare(options, make_cross_entropy())) {}
  Passes(at::ScalarType type, ModelDeclaration declared) : model(std::move(declared)), residency(type) { build(); }
  Passes(const Passes&) = delete;

  void build() {
    Residency::Setup setup;
    setup.model = &model;
    setup.seed = 3;
    residency.parameters.clear();
    residency.build(setup);
  }

  SegmentRunner runner() {
    SegmentRunner::Parts parts{&model, &residency, &hooks, {}, kSeed};
    parts.dtypes.parameters.resize(model.parameters.size());
    parts.dtypes.segments.resize(model.segments.size());
    return SegmentRunner(std::move(parts));
  }

  // The micro-batch's loss in fp64 from token losses; gradients are left with the residency.
  PassOutput run(bool backward = true) {
    SegmentRunner segments = runner();
    residency.begin_step();
    HookInfo at;
    at.micro_batch = 0;
    const PassOutput out = segments.forward(at, batch, weights, Mode::kTrain);
    if (backward) segments.backward(at, batch, true);
    return out;
  }

  at::Tensor as_tensor(const std::vector<int64_t>& values) {
    return at::from_blob(const_cast<int64_t*>(values.data()), {batch.rows, batch.cols}, at::kLong).clone();
  }

  // The same loss as one graph, without boundaries, its last segment written out.
  at::Tensor whole_graph_loss(const TensorList& parameters) {
    at::Tensor x = as_tensor(batch.ids);
    for (size_t s = 0; s + 1 < model.segments.size(); ++s) {
      SegmentContext context;
      context.index = uint32_t(s);
      context.seed = kSeed;
      context.positions = batch.position;
      TensorList own;
      for (const int p : model.segments[s].parameters) own.push_back(parameters[size_t(p)]);
      x = model.segments[s].segment->forward(context, own, {x}, nullptr)[0];
    }
    const at::Tensor logits = at::linear(x, parameters[size_t(model.segments.back().parameters[0])]);
    const at::Tensor chosen = at::gather(at::log_softmax(logits, -1), -1, as_tensor(batch.labels).unsqueeze(-1));
    const at::Tensor weight = at::from_blob(weights.data(), {batch.rows, batch.cols}, at::kFloat).to(x.scalar_type());
    return -(chosen.squeeze(-1) * weight).sum();
  }

  TensorList whole_graph_gradients() {
    const at::Tensor loss = whole_graph_loss(residency.parameters);
    return torch::autograd::grad({loss}, residency.parameters, {at::ones_like(loss)});
  }
};

inline double relative_error(const at::Tensor& a, const at::Tensor& b) {
  const double own = b.to(at::kDouble).norm().item<double>();
  const double difference = (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>();
  return own > 0 ? difference / own : difference;
}

inline void expect_same_gradients(const Passes& passes, const TensorList& expected) {
  for (size_t p = 0; p < expected.size(); ++p) {
    ASSERT_TRUE(passes.residency.gradients[p].defined()) << passes.model.parameters[p].name;
    EXPECT_TRUE(passes.residency.gradients[p].equal(expected[p])) << passes.model.parameters[p].name;
  }
}

// Runs a segment through autograd, whatever backward it brings.
class AutogradOnly final : public Segment {
 public:
  explicit AutogradOnly(std::shared_ptr<const Segment> inner) : inner_(std::move(inner)) {}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList*) const override {
    return inner_->forward(context, parameters, inputs, nullptr);
  }

 private:
  std::shared_ptr<const Segment> inner_;
};

// The loss of whole_graph_loss() as a segment without a backward of its own.
class AutogradLoss final : public Segment {
 public:
  TensorList forward(const SegmentContext&, const TensorList& parameters, const TensorList& inputs,
                     TensorList*) const override {
    const at::Tensor logits = at::linear(inputs[0], parameters[0]);
    const at::Tensor chosen = at::gather(at::log_softmax(logits, -1), -1, inputs[1].unsqueeze(-1)).squeeze(-1);
    const at::Tensor correct = (logits.argmax(-1) == inputs[1]).to(at::kByte);
    return {-(chosen * inputs[2].to(chosen.scalar_type())).sum(), -chosen.detach(), correct};
  }
};

}  // namespace sz::test
