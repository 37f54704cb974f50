// Around hooks: their order, recompute, substituted parameters, errors.
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "unit/train/passes.h"
#include "unit/train/training.h"

namespace sz::test {
namespace {

// Notes when it is entered and left; may do more.
struct Tracer : Wrapper {
  std::string tag;
  std::vector<std::string>* trace;
  bool forward = true, backward = true;
  Tracer(std::string name, std::vector<std::string>* into) : tag(std::move(name)), trace(into) {}
  std::string name() const override { return tag; }
  bool wraps(Hook hook) const override {
    return (hook == Hook::kSegmentForward && forward) || (hook == Hook::kSegmentBackward && backward);
  }
  void segment_forward(SegmentCall& call, const Next& next) override {
    note("> " + tag + " " + name_of(call.context.mode), call);
    next();
    note("< " + tag + " " + name_of(call.context.mode), call);
  }
  void segment_backward(SegmentCall& call, const Next& next) override {
    note("> " + tag + " backward", call);
    next();
    note("< " + tag + " backward", call);
  }
  void note(const std::string& line, const SegmentCall& call) {
    if (trace && call.segment == 1) trace->push_back(line);
  }
};

// What selective recompute will do: forward without a graph, and again in backward.
struct Recompute final : Tracer {
  using Tracer::Tracer;
  void segment_forward(SegmentCall& call, const Next& next) override {
    if (call.context.mode == Mode::kTrain) call.keep_graph = false;
    Tracer::segment_forward(call, next);
    EXPECT_TRUE(call.context.mode == Mode::kRecompute || call.saved.empty());
  }
  void segment_backward(SegmentCall& call, const Next& next) override {
    EXPECT_FALSE(call.graph_kept);
    call.forward_again();
    EXPECT_EQ(call.context.mode, Mode::kTrain);
    Tracer::segment_backward(call, next);
  }
};

// W + delta in place of each segment's third parameter, in any mode.
struct Substitute final : Tracer {
  using Tracer::Tracer;
  void segment_forward(SegmentCall& call, const Next& next) override {
    if (call.parameters.size() > 2) {
      const at::Tensor delta = at::full(call.parameters[2].sizes(), 0.01, call.parameters[2].options());
      call.parameters[2] = (call.parameters[2] + delta).detach().requires_grad_();
    }
    Tracer::segment_forward(call, next);
  }
};

TEST(Wrappers, EarlierOnesAreFurtherOut) {
  std::vector<std::string> trace;
  Passes passes;
  for (const char* name : {"a", "b"}) passes.hooks.wrap(std::make_shared<Tracer>(name, &trace));
  passes.run();
  EXPECT_EQ(trace, (std::vector<std::string>{"> a train", "> b train", "< b train", "< a train",  //
                                             "> a backward", "> b backward", "< b backward", "< a backward"}));
}

TEST(Wrappers, RecomputeIsBitIdenticalWithDropout) {
  Passes plain, recomputed;
  const PassOutput expected = plain.run();
  recomputed.hooks.wrap(std::make_shared<Recompute>("recompute", nullptr));
  const PassOutput out = recomputed.run();
  EXPECT_TRUE(out.token_loss.equal(expected.token_loss));
  expect_same_gradients(recomputed, plain.residency.gradients);
}

// forward_again() runs what comes after the caller, also where the caller does not wrap forward itself.
TEST(Wrappers, ForwardAgainRunsTheWrappersInside) {
  for (const bool wraps_forward : {true, false}) {
    std::vector<std::string> trace;
    Passes passes;
    struct Again final : Tracer {
      using Tracer::Tracer;
      void segment_backward(SegmentCall& call, const Next& next) override {
        call.forward_again();
        next();
      }
    };
    const auto again = std::make_shared<Again>("again", nullptr);
    again->forward = wraps_forward;
    passes.hooks.wrap(std::make_shared<Tracer>("outer", &trace));
    passes.hooks.wrap(again);
    passes.hooks.wrap(std::make_shared<Tracer>("inner", &trace));
    passes.run();
    EXPECT_EQ(std::vector<std::string>(trace.begin() + 4, trace.end()),
              (std::vector<std::string>{"> outer backward", "> inner recompute", "< inner recompute",
                                        "> inner backward", "< inner backward", "< outer backward"}));
  }
}

// The gradients of the model whose parameters are W + delta.
TEST(Wrappers, ParametersMayBeSubstituted) {
  Passes moved, substituted;
  for (const SegmentDeclaration& segment : moved.model.segments) {
    if (segment.parameters.size() <= 2) continue;
    at::Tensor& parameter = moved.residency.parameters[size_t(segment.parameters[2])];
    parameter = (parameter + at::full(parameter.sizes(), 0.01, parameter.options())).detach().requires_grad_();
  }
  const PassOutput expected = moved.run();
  substituted.hooks.wrap(std::make_shared<Substitute>("substitute", nullptr));
  EXPECT_TRUE(substituted.run().token_loss.equal(expected.token_loss));
  expect_same_gradients(substituted, moved.residency.gradients);

  const at::Tensor ids = moved.as_tensor(moved.batch.ids);
  SegmentRunner a = moved.runner(), b = substituted.runner();
  EXPECT_TRUE(a.logits(ids, nullptr, 0).equal(b.logits(ids, nullptr, 0)));  // generation sees them as well
}

// Whoever substitutes inside a recompute is asked again, and must not add to what it added the first time.
TEST(Wrappers, SubstitutionInsideRecomputeHappensOnce) {
  for (const bool inside : {true, false}) {
    Passes plain, both;
    plain.hooks.wrap(std::make_shared<Substitute>("substitute", nullptr));
    plain.run();
    if (!inside) both.hooks.wrap(std::make_shared<Substitute>("substitute", nullptr));
    both.hooks.wrap(std::make_shared<Recompute>("recompute", nullptr));
    if (inside) both.hooks.wrap(std::make_shared<Substitute>("substitute", nullptr));
    both.run();
    expect_same_gradients(both, plain.residency.gradients);
  }
}

// Residency takes the gradients that the outermost wrapper returns.
TEST(Wrappers, GradientsMayBeReplaced) {
  struct Double final : Tracer {
    using Tracer::Tracer;
    void segment_backward(SegmentCall& call, const Next& next) override {
      next();
      for (at::Tensor& gradient : call.gradients.parameters) gradient = gradient * 2;
    }
  };
  Passes plain, doubled;
  plain.run();
  doubled.hooks.wrap(std::make_shared<Double>("double", nullptr));
  doubled.run();
  for (size_t p = 0; p < plain.residency.gradients.size(); ++p) {
    EXPECT_TRUE(doubled.residency.gradients[p].equal(plain.residency.gradients[p] * 2));
  }
}

template <class E>
struct Failing final : Tracer {
  E error;
  Hook hook;
  Failing(E e, Hook at) : Tracer("failing", nullptr), error(std::move(e)), hook(at) {}
  void segment_forward(SegmentCall& call, const Next& next) override { fail(Hook::kSegmentForward, call, next); }
  void segment_backward(SegmentCall& call, const Next& next) override { fail(Hook::kSegmentBackward, call, next); }
  void fail(Hook now, SegmentCall& call, const Next& next) {
    if (hook == now && call.segment == 3) throw error;
    next();
  }
};

TEST(Wrappers, AFailureNamesTheSegmentAndKeepsItsExitCode) {
  Passes forward, backward;
  forward.hooks.wrap(std::make_shared<Failing<Error>>(Error(Exit::kExhausted, "full"), Hook::kSegmentForward));
  const Thrown thrown = thrown_by([&] { forward.run(); });
  EXPECT_EQ(thrown.exit, Exit::kExhausted);
  EXPECT_EQ(thrown.message, "segment block.1.attention (train): full");

  backward.hooks.wrap(std::make_shared<Failing<std::out_of_range>>(std::out_of_range("index"), Hook::kSegmentBackward));
  try {
    backward.run();
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_STREQ(e.what(), "segment block.1.attention (backward): index");
  }
}

// On one of two ranks: the run ends on both, with the wrapper's reason.
TEST(Wrappers, AFailureOnOneRankEndsTheRunOnAll) {
  RunSpec spec;
  spec.ranks = 2;
  spec.prepare = [](RankParts& parts) {
    if (parts.rank() != 1) return;
    parts.hooks.wrap(std::make_shared<Failing<Error>>(Error(Exit::kPlugin, "broken"), Hook::kSegmentForward));
  };
  const Thrown thrown = thrown_by([&] { train(spec); });
  EXPECT_EQ(thrown.exit, Exit::kPlugin) << thrown.message;
  EXPECT_EQ(thrown.message, "segment block.1.attention (train): broken");
}

// The whole loop under recompute, on two ranks: the same parameters.
TEST(Wrappers, TrainingUnderRecomputeIsBitIdentical) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 5;
  const RunResult plain = train(spec);
  spec.prepare = [](RankParts& parts) { parts.hooks.wrap(std::make_shared<Recompute>("recompute", nullptr)); };
  expect_identical(plain.arrays, train(spec).arrays);
}

TEST(Wrappers, TheOptimizerStepIsWrapped) {
  struct Around final : Wrapper {
    std::vector<std::string>* trace;
    std::string tag;
    Around(std::vector<std::string>* into, std::string name) : trace(into), tag(std::move(name)) {}
    std::string name() const override { return tag; }
    bool wraps(Hook hook) const override { return hook == Hook::kOptimizerStep; }
    void optimizer_step(const HookInfo& info, const Next& next) override {
      trace->push_back("> " + tag);
      next();
      trace->push_back("< " + tag);
    }
  };
  std::vector<std::string> trace;
  RunSpec spec;
  spec.options.steps = 1;
  spec.prepare = [&](RankParts& parts) {
    for (const char* name : {"a", "b"}) parts.hooks.wrap(std::make_shared<Around>(&trace, name));
  };
  train(spec);
  EXPECT_EQ(trace, (std::vector<std::string>{"> a", "> b", "< b", "< a"}));
}

}  // namespace
}  // namespace sz::test
