// Slots, wrappers, votes and services of plugins, as the runtime sees them.
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optim/schedule.h"
#include "plugin_host/plugin_services.h"
#include "unit/plugin_host/host_fixture.h"

namespace sz {
namespace {

using testing::HasSubstr;

ModelDeclaration small_model() {
  ModelDeclaration model;
  model.parameters.push_back({"norm", {4}, Role::kNorm, Init::kOnes, 0, false, true});
  model.parameters.push_back({"matrix", {4, 4}, Role::kMatrix, Init::kNormal, 0.02, true, true});
  model.segments.push_back({"first", {0, 1}, nullptr});
  model.segments.push_back({"second", {1}, nullptr});
  return model;
}

TEST(PluginPrecision, PlanScaleAndVotes) {
  TestRun run("[plugins.test_slot_a]\nenabled = true\n");
  run.start();
  Precision* precision = run.host.precision();
  ASSERT_NE(precision, nullptr);
  EXPECT_EQ(precision->name(), "test_slot_a");
  const DtypePlan plan = precision->plan(small_model());
  EXPECT_EQ(plan.parameters[0].compute, DType::kF32);
  EXPECT_EQ(plan.parameters[1].compute, DType::kF16);
  EXPECT_EQ(plan.parameters[1].master, DType::kF32);
  EXPECT_TRUE(plan.segments[0].autocast);
  EXPECT_FALSE(plan.segments[1].autocast);

  StepFacts facts;
  EXPECT_EQ(precision->judge(facts).clip, 0.5);
  EXPECT_EQ(precision->scale(), 1024);
  facts.non_finite = 3;
  const Vote vote = precision->judge(facts);
  EXPECT_EQ(vote.verdict, Verdict::kSkip);
  EXPECT_EQ(vote.reason, "gradients are not finite");
  EXPECT_FALSE(vote.clip.has_value());
  EXPECT_EQ(precision->scale(), 512);
}

// No residency or optimizer serves them: said once, before anything is built, instead of being ignored.
TEST(PluginPrecision, DtypesThatNobodyServesAreRefused) {
  TestRun run("[plugins.test_slot_a]\nenabled = true\nlevel = \"O9\"\n");
  run.start();
  try {
    run.host.precision()->plan(small_model());
    FAIL() << "took gradients in fp64";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kPlugin);
    EXPECT_THAT(error.what(), HasSubstr("plugin 'test_slot_a'"));
    EXPECT_THAT(error.what(), HasSubstr("parameter 'matrix': accumulate is fp64"));
    EXPECT_THAT(error.what(), HasSubstr("fp32, fp16 or bf16"));
  }
}

TEST(PluginState, SavedBytesRestore) {
  TestRun run("[plugins.test_slot_a]\nenabled = true\n");
  run.start();
  Stateful* state = run.host.precision()->stateful();
  ASSERT_NE(state, nullptr);
  EXPECT_EQ(run.host.states(), std::vector<Stateful*>{state});
  EXPECT_EQ(state->state_id(), "test_slot_a");
  EXPECT_EQ(state->scope(), Stateful::Scope::kCheckpointAndRollback);
  const std::string bytes = state->save_state();
  StepFacts facts;
  facts.non_finite = 1;
  run.host.precision()->judge(facts);
  state->load_state(bytes, state->state_version());
  EXPECT_EQ(run.host.precision()->scale(), 1024);
  try {
    state->load_state("short", 3);
    FAIL() << "took damaged state";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kCorrupt);
    EXPECT_THAT(error.what(), HasSubstr("test_slot_a"));
  }
}

TEST(PluginSampler, PlansFollowTheState) {
  TestRun run("[plugins.test_sampler]\nenabled = true\n");
  run.start();
  Sampler* sampler = run.host.sampler();
  ASSERT_NE(sampler, nullptr);
  sampler->setup({5, 4, 0});
  const auto [first, after] = sampler->plan(sampler->initial_state());
  const auto [second, end] = sampler->plan(after);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first[3].sample, 3);
  EXPECT_EQ(second[0].sample, 4);
  EXPECT_EQ(second[1].sample, 0);
  EXPECT_EQ(second[3].position, 7u);
  EXPECT_EQ(sampler->plan(after).second, end);  // pure
  EXPECT_THROW(sampler->plan("bad"), Error);
  const uint64_t revision = sampler->revision();
  run.fire(Hook::kEpochEnd);  // the plugin says that its plans would be others now
  EXPECT_NE(sampler->revision(), revision);
}

TEST(PluginSampler, TransformsSamplesAndIsHeldToTheVocabulary) {
  class Words final : public Source {
   public:
    int64_t count(Split) const override { return 1; }
    SampleInfo info(Split, int64_t) const override { return {}; }
    void read(Split, int64_t, SampleTokens&) const override {}
    std::string text(Split, int64_t) const override { return ""; }
    const std::vector<std::string>& languages() const override { return languages_; }
    int64_t vocabulary() const override { return 10; }

   private:
    std::vector<std::string> languages_;
  };
  TestRun run("[plugins.test_sampler]\nenabled = true\n");
  run.start();
  run.host.set_source(std::make_shared<Words>());
  const Transform transform = run.host.sampler()->transform();
  SampleTokens sample{{1, 2}, {2, 3}, {1, 1}};
  PlanItem item;
  item.transform = 5;
  transform(item, sample);
  EXPECT_EQ(sample.ids, (std::vector<int64_t>{6, 7}));
  EXPECT_EQ(sample.labels, (std::vector<int64_t>{2, 3}));
  EXPECT_THROW(transform(item, sample), Error) << "token 11 of 10";
  EXPECT_THROW(Words().encode("a"), Error) << "a source without a tokenizer";
}

TEST(PluginCheck, WarningsBeforeAnythingIsCreated) {
  TestRun run("[plugins.test_sampler]\nenabled = true\n[plugins.test_services]\nenabled = true\n");
  EXPECT_EQ(run.host.warnings(run.config, {1, 0, 5}),
            (std::vector<std::string>{"plugin test_sampler: one", "plugin test_sampler: two"}));
  EXPECT_TRUE(run.host.warnings(run.config, {1, 0, 50}).empty());
}

TEST(PluginServices, OptimizerScheduleVoteAndScorer) {
  TestRun run("[plugins.test_services]\nenabled = true\n");
  run.start();
  const auto optimizer = run.registry.get<Optimizer>("sz.optimizer/1", "plain_sgd", "optimizer.type");
  EXPECT_EQ(optimizer->state_names(), std::vector<std::string>{"steps"});
  EXPECT_TRUE(optimizer->element_wise());
  std::vector<float> master = {1, 2}, gradient = {10, 20}, state = {0, 0};
  UpdateUnit unit;
  unit.name = "unit";
  unit.numel = 2;
  unit.master = master.data();
  unit.gradient = gradient.data();
  unit.state = {state.data()};
  unit.ranges = {{0, 0, 0, 2}};
  optimizer->update(unit, {1, 0.1, 0.5});
  EXPECT_FLOAT_EQ(master[0], 0.5f);
  EXPECT_FLOAT_EQ(master[1], 1.0f);
  EXPECT_EQ(state[0], 1);
  unit.gradient_dtype = DType::kF16;
  EXPECT_THROW(optimizer->update(unit, {1, 0.1, 0.5}), Error);

  ScheduleParams params;
  params.lr = 3;
  const auto schedule = (*run.registry.get<ScheduleFactory>("sz.schedule/1", "harmonic", "key"))(params);
  EXPECT_DOUBLE_EQ(schedule->lr(2), 1.5);

  ASSERT_EQ(run.host.voters().size(), 1u);
  StepFacts facts;
  facts.loss = 11;
  const Vote vote = run.host.voters()[0]->vote(facts);
  EXPECT_EQ(vote.verdict, Verdict::kRollBack);
  EXPECT_TRUE(vote.keep_data_position);
  EXPECT_EQ(vote.voter, "test_services");
  facts.loss = 1;
  EXPECT_EQ(run.host.voters()[0]->vote(facts).verdict, Verdict::kApply);

  run.fire(Hook::kRunBegin);  // scores a text through sz.services/1, then asks for one that isn't there
  EXPECT_EQ(run.metric("test_services.score"), 4);
  EXPECT_THAT(run.failures(), HasSubstr("given: test_services"));
}

// What has been switched off on all ranks votes no more; what has failed here alone still does, or ranks would differ.
TEST(PluginVoter, ADisabledPluginsVoteDoesNotCount) {
  TestRun run("[plugins.test_services]\nenabled = true\n");
  run.start();
  StepFacts facts;
  facts.loss = 11;
  Voter* const voter = run.host.voters()[0];
  run.fire(Hook::kRunBegin);
  ASSERT_TRUE(run.hooks.entries()[0].failed);
  EXPECT_EQ(voter->vote(facts).verdict, Verdict::kRollBack);
  run.hooks.disable(0);
  EXPECT_EQ(voter->vote(facts).verdict, Verdict::kApply);
  EXPECT_EQ(voter->vote(facts).reason, "");
}

SegmentCall call_with_parameter() {
  SegmentCall call;
  call.parameters = {at::ones({2})};
  call.inputs = {at::ones({2})};
  return call;
}

TEST(PluginWrapper, ForwardSubstitutesParametersAndDropsTheGraph) {
  TestRun run("[plugins.test_wrapper]\nenabled = true\n");
  run.start();
  ASSERT_EQ(run.hooks.wrappers().size(), 1u);
  Wrapper& wrapper = *run.hooks.wrappers()[0];
  EXPECT_TRUE(wrapper.wraps(Hook::kSegmentForward));
  EXPECT_FALSE(wrapper.wraps(Hook::kOptimizerStep));  // its table has it, its descriptor doesn't claim it
  SegmentCall call = call_with_parameter();
  const at::Tensor original = call.parameters[0];
  wrapper.segment_forward(call, [&] {
    EXPECT_FALSE(call.keep_graph);
    EXPECT_TRUE(at::equal(call.parameters[0], at::full({2}, 2.0)));
    call.outputs = {call.inputs[0]};
  });
  EXPECT_EQ(call.outputs.size(), 1u);
  EXPECT_TRUE(at::equal(original, at::ones({2})));
}

TEST(PluginWrapper, BackwardRunsForwardAgainAndReplacesGradients) {
  TestRun run("[plugins.test_wrapper]\nenabled = true\n");
  run.start();
  SegmentCall call = call_with_parameter();
  int again = 0;
  call.forward_again = [&] { ++again; };
  run.hooks.wrappers()[0]->segment_backward(call, [&] { call.gradients.parameters = {at::ones({2})}; });
  EXPECT_EQ(again, 1);
  EXPECT_TRUE(at::equal(call.gradients.parameters[0], at::full({2}, -1.0)));
}

TEST(PluginWrapper, BrokenRulesAndErrorsEndTheCallAsErrors) {
  const std::map<std::string, std::string> expected = {{"no_next", "called next 0 times"},
                                                       {"twice", "next was called twice"},
                                                       {"throw", "it was told to throw"},
                                                       {"late_set", "may be set"}};
  for (const auto& [how, message] : expected) {
    TestRun run("[plugins.test_wrapper]\nenabled = true\nmisbehave = \"" + how + "\"\n");
    run.start();
    SegmentCall call = call_with_parameter();
    try {
      run.hooks.wrappers()[0]->segment_forward(call, [] {});
      ADD_FAILURE() << how << " went through";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
      EXPECT_THAT(error.what(), HasSubstr("test_wrapper"));
    }
  }
}

// Can leave out what is cheap, and nothing more.
class OneLevelSegment final : public Segment {
 public:
  TensorList forward(const SegmentContext&, const TensorList&, const TensorList& inputs, TensorList*) const override {
    return inputs;
  }
  int save_levels() const override { return 1; }
};

std::string error_with_save_level(int level, SegmentCall& call) {
  TestRun run("[plugins.test_wrapper]\nenabled = true\nsave_level = " + std::to_string(level) + "\n");
  run.start();
  try {
    run.hooks.wrappers()[0]->segment_forward(call, [&] { EXPECT_EQ(call.context.save_level, level); });
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PluginWrapper, ASaveLevelBeyondTheSegmentsIsRefused) {
  SegmentDeclaration declaration;
  declaration.name = "block.0.mlp";
  declaration.segment = std::make_shared<OneLevelSegment>();
  for (const int level : {0, 1}) {
    SegmentCall call = call_with_parameter();
    call.declaration = &declaration;
    EXPECT_EQ(error_with_save_level(level, call), "");
  }
  SegmentCall call = call_with_parameter();
  call.declaration = &declaration;
  EXPECT_THAT(error_with_save_level(2, call),
              AllOf(HasSubstr("block.0.mlp has save levels up to 1, 2 was asked for"), HasSubstr("test_wrapper")));
  EXPECT_EQ(call.context.save_level, 0);

  SegmentCall undeclared = call_with_parameter();  // knows of no level, and of no name
  EXPECT_THAT(error_with_save_level(1, undeclared), HasSubstr("up to 0, 1 was asked for"));
}

TEST(PluginWrapper, ExceptionOfWhatIsWrappedComesThroughAsItIs) {
  TestRun run("[plugins.test_wrapper]\nenabled = true\n");
  run.start();
  SegmentCall call = call_with_parameter();
  try {
    run.hooks.wrappers()[0]->segment_forward(call, [] { throw Error(Exit::kExhausted, "no memory left"); });
    FAIL() << "swallowed";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kExhausted);
    EXPECT_STREQ(error.what(), "no memory left");
  }
}

}  // namespace
}  // namespace sz
