#include "plugin_host/load_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace sz {
namespace {

using testing::HasSubstr;
using testing::Not;
using Names = std::vector<std::string>;

PlanInput plugin(const std::string& id) {
  PlanInput input;
  input.descriptor.id = id;
  input.descriptor.version = "1.0";
  input.path = "/plugins/" + id + ".so";
  input.checksum = "c-" + id;
  return input;
}

PlanInput on_hook(const std::string& id, Hook hook, Names before = {}, Names after = {}) {
  PlanInput input = plugin(id);
  input.descriptor.hooks.push_back({hook, std::move(before), std::move(after), {}});
  return input;
}

Condition level(Condition::Op op, Names values) { return {"level", op, std::move(values)}; }

HostOffer host() {
  HostOffer offer;
  offer.services = {"sz.optimizer/1"};
  offer.givable = {"sz.scorer/1"};
  offer.interfaces = {"sz.config/1"};
  offer.slots = {Slot::kPrecision, Slot::kSampler};
  return offer;
}

std::string faults_of(const std::vector<PlanInput>& inputs) {
  try {
    make_load_plan(inputs, host());
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kPlugin);
    return error.what();
  }
  return "";
}

TEST(LoadPlan, NoPluginsIsAPlanWithDefaults) {
  const LoadPlan plan = make_load_plan({}, host());
  EXPECT_TRUE(plan.plugins.empty());
  EXPECT_THAT(plan.text(), HasSubstr("defaults"));
}

TEST(LoadPlan, HookOrderFollowsBeforeAndAfterThenNames) {
  const LoadPlan plan = make_load_plan({on_hook("a", Hook::kStepEnd, {}, {"c"}), on_hook("b", Hook::kStepEnd),
                                        on_hook("c", Hook::kStepEnd, {}, {"absent"}), on_hook("d", Hook::kStepBegin)},
                                       host());
  EXPECT_EQ(plan.hooks[int(Hook::kStepEnd)], (Names{"b", "c", "a"}));
  EXPECT_EQ(plan.hooks[int(Hook::kStepBegin)], (Names{"d"}));
}

TEST(LoadPlan, HookCycleNamesHookAndMembers) {
  const std::string faults = faults_of({on_hook("a", Hook::kLoss, {"b"}), on_hook("b", Hook::kLoss, {"a"}),
                                        on_hook("bystander", Hook::kLoss)});
  EXPECT_THAT(faults, HasSubstr("LOSS"));
  EXPECT_THAT(faults, HasSubstr("'a' before 'b' before 'a'"));
  EXPECT_THAT(faults, Not(HasSubstr("bystander")));
}

TEST(LoadPlan, TwoOwnersOfASlotAreBothNamed) {
  PlanInput a = plugin("alpha"), b = plugin("beta");
  a.descriptor.slots.push_back({Slot::kPrecision, {}});
  b.descriptor.slots.push_back({Slot::kPrecision, {}});
  const std::string faults = faults_of({a, b});
  EXPECT_THAT(faults, HasSubstr("precision"));
  EXPECT_THAT(faults, HasSubstr("'alpha'"));
  EXPECT_THAT(faults, HasSubstr("'beta'"));
}

TEST(LoadPlan, SlotThatTheHostDoesNotServeIsRefused) {
  PlanInput a = plugin("alpha");
  a.descriptor.slots.push_back({Slot::kResidency, {}});
  EXPECT_THAT(faults_of({a}), HasSubstr("'residency'"));
}

TEST(LoadPlan, WhenSwitchesClaimsOff) {
  PlanInput a = plugin("alpha"), b = plugin("beta");
  a.descriptor.slots.push_back({Slot::kPrecision, {level(Condition::Op::kNotEqual, {"O0"})}});
  a.descriptor.gives.push_back({"sz.scorer/1", "alpha", {level(Condition::Op::kIn, {"O1", "O2"})}});
  a.values["level"] = std::string("O0");
  b.descriptor.slots.push_back({Slot::kPrecision, {}});
  const LoadPlan plan = make_load_plan({a, b}, host());
  EXPECT_EQ(plan.slots.at(Slot::kPrecision), "beta");
  EXPECT_TRUE(plan.find("alpha")->gives.empty());
  EXPECT_THAT(plan.text(), HasSubstr("off: service sz.scorer/1 (needs level in O1, O2)"));
  EXPECT_THAT(plan.text(), HasSubstr("off: slot precision (needs level != O0)"));
  a.values["level"] = std::string("O2");
  EXPECT_THAT(faults_of({a, b}), HasSubstr("precision"));
}

TEST(LoadPlan, ConditionsOnBooleansAndNumbers) {
  const Conditions when = {{"on", Condition::Op::kEqual, {"true"}}, {"depth", Condition::Op::kIn, {"2", "3"}}};
  EXPECT_TRUE(holds(when, {{"on", true}, {"depth", int64_t(3)}}));
  EXPECT_FALSE(holds(when, {{"on", false}, {"depth", int64_t(3)}}));
  EXPECT_FALSE(holds(when, {{"on", true}, {"depth", int64_t(4)}}));
  EXPECT_FALSE(holds(when, {{"on", true}}));
}

TEST(LoadPlan, NeededPluginStartsFirst) {
  PlanInput a = plugin("a"), z = plugin("z");
  a.descriptor.needs.push_back({Need::Kind::kPlugin, "z", {}});
  const LoadPlan plan = make_load_plan({a, z}, host());
  EXPECT_EQ(plan.plugins[0].id, "z");
  EXPECT_EQ(plan.plugins[1].id, "a");
}

TEST(LoadPlan, MissingNeedsAreAllReported) {
  PlanInput a = plugin("a");
  a.descriptor.needs.push_back({Need::Kind::kPlugin, "absent", {}});
  a.descriptor.needs.push_back({Need::Kind::kService, "sz.scorer/1", {}});
  a.descriptor.needs.push_back({Need::Kind::kService, "sz.optimizer/2", {}});
  a.descriptor.needs.push_back({Need::Kind::kInterface, "sz.future/1", {}});
  const std::string faults = faults_of({a});
  EXPECT_THAT(faults, HasSubstr("plugins.absent.enabled"));
  EXPECT_THAT(faults, HasSubstr("sz.scorer/1"));
  EXPECT_THAT(faults, HasSubstr("sz.optimizer/2"));
  EXPECT_THAT(faults, HasSubstr("sz.future/1"));
}

TEST(LoadPlan, ServiceNeedIsMetByAnotherPluginOrTheRuntime) {
  PlanInput a = plugin("a"), z = plugin("z");
  a.descriptor.needs.push_back({Need::Kind::kService, "sz.scorer/1", {}});
  a.descriptor.needs.push_back({Need::Kind::kService, "sz.optimizer/1", {}});
  a.descriptor.needs.push_back({Need::Kind::kInterface, "sz.config/1", {}});
  z.descriptor.gives.push_back({"sz.scorer/1", "tfidf", {}});
  const LoadPlan plan = make_load_plan({a, z}, host());
  EXPECT_EQ(plan.plugins[0].id, "z");
}

TEST(LoadPlan, NeedsInACircleAreAFault) {
  PlanInput a = plugin("a"), b = plugin("b");
  a.descriptor.needs.push_back({Need::Kind::kPlugin, "b", {}});
  b.descriptor.needs.push_back({Need::Kind::kPlugin, "a", {}});
  EXPECT_THAT(faults_of({a, b}), HasSubstr("need each other"));
}

TEST(LoadPlan, SameServiceNameTwiceNamesBoth) {
  PlanInput a = plugin("a"), b = plugin("b");
  a.descriptor.gives.push_back({"sz.scorer/1", "tfidf", {}});
  b.descriptor.gives.push_back({"sz.scorer/1", "tfidf", {}});
  const std::string faults = faults_of({a, b});
  EXPECT_THAT(faults, HasSubstr("'a'"));
  EXPECT_THAT(faults, HasSubstr("'b'"));
}

TEST(LoadPlan, ServiceThatTheHostDoesNotTakeIsRefused) {
  PlanInput a = plugin("a");
  a.descriptor.gives.push_back({"sz.future/1", "a", {}});
  EXPECT_THAT(faults_of({a}), HasSubstr("sz.future/1"));
}

TEST(LoadPlan, OnePluginTwiceIsAFault) {
  EXPECT_THAT(faults_of({plugin("a"), plugin("a")}), HasSubstr("twice"));
}

TEST(LoadPlan, VotersFollowTheOrderOfVerdict) {
  PlanInput a = on_hook("a", Hook::kVerdict, {}, {"z"}), z = plugin("z");
  a.descriptor.votes = z.descriptor.votes = true;
  EXPECT_EQ(make_load_plan({a, z}, host()).voters, (Names{"z", "a"}));
}

TEST(LoadPlan, HashLeavesPathsOut) {
  PlanInput a = on_hook("a", Hook::kLoss), elsewhere = a, other = a;
  elsewhere.path = "/mnt/a.so";
  other.checksum = "different";
  const uint64_t hash = make_load_plan({a}, host()).hash();
  EXPECT_EQ(make_load_plan({elsewhere}, host()).hash(), hash);
  EXPECT_NE(make_load_plan({other}, host()).hash(), hash);
}

TEST(LoadPlan, JsonNamesEverything) {
  PlanInput a = on_hook("a", Hook::kLoss);
  a.descriptor.slots.push_back({Slot::kSampler, {}});
  const std::string json = make_load_plan({a}, host()).json();
  EXPECT_THAT(json, HasSubstr("\"sampler\": \"a\""));
  EXPECT_THAT(json, HasSubstr("\"LOSS\""));
}

}  // namespace
}  // namespace sz
