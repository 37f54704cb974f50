// The host's interfaces, as the plugin test_probe sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/rng.h"
#include "unit/plugin_host/host_fixture.h"

namespace sz {
namespace {

using testing::HasSubstr;

class TwoSamples final : public Source {
 public:
  int64_t count(Split split) const override { return split == Split::kTrain ? 2 : 4; }
  SampleInfo info(Split, int64_t) const override { return {}; }
  void read(Split, int64_t, SampleTokens&) const override {}
  std::string text(Split, int64_t sample) const override { return sample == 1 ? "春眠" : "one"; }
  const std::vector<std::string>& languages() const override { return languages_; }
  int64_t vocabulary() const override { return 10; }

 private:
  std::vector<std::string> languages_ = {"en", "zh"};
};

class InterfacesTest : public testing::Test {
 protected:
  InterfacesTest() : run_("[plugins.test_probe]\nenabled = true\nwindow = 9\n") {
    model_.parameters.push_back({"wte", {4, 2}, Role::kEmbedding, Init::kNormal, 0.02, true, true});
    model_.segments.push_back({"embedding", {0}, nullptr});
    run_.start();
    run_.host.set_source(std::make_shared<TwoSamples>());
    run_.host.set_model(&model_);
    run_.services.scalars.close();
  }
  double metric(const std::string& name) { return run_.metric("test_probe." + name); }

  ModelDeclaration model_;
  TestRun run_;
};

TEST_F(InterfacesTest, ConfigurationMetricsAndScalars) {
  run_.position.step = 12;
  run_.fire(Hook::kStepBegin);
  ASSERT_EQ(run_.failures(), "");
  EXPECT_EQ(metric("window"), 9);
  EXPECT_EQ(metric("step"), 12);
  ASSERT_EQ(run_.services.scalars.names(), std::vector<std::string>{"test_probe.share"});
  EXPECT_EQ(run_.services.scalars.values()[0], 2.5);
}

TEST_F(InterfacesTest, WrongStateAndWrongThreadAreErrors) {
  run_.fire(Hook::kStepBegin);
  EXPECT_EQ(metric("early"), int(Exit::kPlugin));      // published in start
  EXPECT_EQ(metric("elsewhere"), int(Exit::kPlugin));  // published on another thread
  EXPECT_EQ(metric("others_scalar"), int(Exit::kPlugin));
}

TEST_F(InterfacesTest, EventsArriveWhenDelivered) {
  run_.fire(Hook::kStepBegin);
  EXPECT_TRUE(std::isnan(metric("ping")));
  run_.services.events.deliver();
  EXPECT_EQ(metric("ping"), 7.5);
}

TEST_F(InterfacesTest, FailingListenerIsFlaggedAndSilenced) {
  run_.services.events.publish({"ping", "other", {{"value", std::string("not a number")}}});
  run_.services.events.deliver();
  EXPECT_EQ(run_.failures(), "");
  run_.hooks.entries()[0].failed = true;
  run_.services.events.publish({"ping", "other", {{"value", 3.0}}});
  run_.services.events.deliver();
  EXPECT_NE(metric("ping"), 3.0);
}

TEST_F(InterfacesTest, ModelIsChangedInModelDeclaredAlone) {
  HookInfo info;
  info.hook = Hook::kModelDeclared;
  info.model = &model_;
  run_.fire(info);
  ASSERT_EQ(run_.failures(), "");
  ASSERT_EQ(model_.parameters.size(), 2u);
  EXPECT_EQ(model_.parameters[1].name, "probe.extra");
  EXPECT_EQ(model_.segments[0].parameters, (std::vector<int>{0, 1}));
  EXPECT_FALSE(model_.parameters[0].trainable);
  EXPECT_EQ(metric("parameters"), 2);
  EXPECT_EQ(metric("twice"), int(Exit::kPlugin));
  run_.fire(Hook::kStepEnd);
  EXPECT_EQ(metric("late"), int(Exit::kPlugin));
  EXPECT_FALSE(model_.parameters[0].trainable);
}

TEST_F(InterfacesTest, DataRandomnessRanksAndTensors) {
  run_.fire(Hook::kStepEnd);
  ASSERT_EQ(run_.failures(), "");
  EXPECT_EQ(metric("text_bytes"), 6);
  EXPECT_EQ(metric("no_sample"), int(Exit::kPlugin));
  EXPECT_EQ(metric("rank"), 0);
  EXPECT_EQ(metric("collective"), int(Exit::kPlugin));  // it owns no residency
  const uint64_t key = mix(mix(7, hash_name("test_probe")), hash_name("test"));
  EXPECT_EQ(metric("drawn"), philox(key, 3, 0)[0]);
  EXPECT_EQ(metric("copied"), 5);
  EXPECT_EQ(metric("dlpack"), 5);
}

TEST_F(InterfacesTest, FactsDecisionsAndRequests) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("sz_decisions_" + std::to_string(::getpid()))).string();
  StepFacts facts;
  facts.loss = 2.25;
  facts.scalars["test_probe.share"] = 5;
  HookInfo info;
  info.hook = Hook::kVerdict;
  info.facts = &facts;
  TestRun run("[plugins.test_probe]\nenabled = true\n");
  {
    DecisionLog log(path, Language::kEnglish);
    run.context.decisions = &log;
    run.position = {3, 4, 0, 0, 0, 0};
    run.start();
    run.fire(info);
    run.host.stop();
  }
  EXPECT_EQ(run.failures(), "");
  EXPECT_EQ(run.metric("test_probe.scalar"), 5);
  const std::string line = read_file(path);
  std::filesystem::remove(path);
  EXPECT_THAT(line, HasSubstr("\"plugin\":\"test_probe\""));
  EXPECT_THAT(line, HasSubstr("\"step\":3"));
  EXPECT_THAT(line, HasSubstr("\"to\":2.25"));
  EXPECT_THAT(line, HasSubstr("数"));
  EXPECT_FALSE(run.services.requests.save);  // until the hook before VERDICT
  run.fire(Hook::kGradientsReduced);
  EXPECT_TRUE(run.services.requests.save);
  EXPECT_FALSE(run.services.requests.stop);
}

TEST_F(InterfacesTest, ARequestOfAPluginThatFailedIsForgotten) {
  TestRun run("[plugins.test_probe]\nenabled = true\n");
  StepFacts facts;
  facts.scalars["test_probe.share"] = 5;
  HookInfo info;
  info.hook = Hook::kVerdict;
  info.facts = &facts;
  run.start();
  run.fire(info);
  ASSERT_EQ(run.failures(), "");
  run.hooks.entries()[0].failed = true;
  run.fire(Hook::kGradientsReduced);
  EXPECT_FALSE(run.services.requests.save);
}

TEST_F(InterfacesTest, EvaluationGroupsAreCopied) {
  run_.fire(Hook::kEvalBegin);
  run_.fire(Hook::kEvalBegin);  // replaces its own
  ASSERT_EQ(run_.failures(), "");
  ASSERT_EQ(run_.services.groupings.size(), 1u);
  const EvalGrouping& grouping = run_.services.groupings[0];
  EXPECT_EQ(grouping.name, "test_probe");
  EXPECT_EQ(grouping.groups, (std::vector<std::string>{"even", "odd"}));
  EXPECT_EQ(grouping.group_of(3), 1);
  EXPECT_EQ(grouping.group_of(4), -1);
}

}  // namespace
}  // namespace sz
