#include "plugin_host/loaded_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "optim/optimizer.h"
#include "unit/plugin_host/host_fixture.h"

namespace sz {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::string& toml, const std::vector<KeySpec>& more, Exit exit) {
  try {
    const LoadedPlugins plugins(toml, {SZ_TEST_PLUGINS}, more);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), exit) << error.what();
    return error.what();
  }
  return "";
}

TEST(LoadedPlugins, OneReportOfKeysAndPlugins) {
  const std::string absent = "[plugins.test_absent]\nenabled = true\n";
  const std::vector<KeySpec> more = {{"train.steps", KeyType::kInt, "1", "steps"}};
  EXPECT_THAT(refusal(absent, more, Exit::kPlugin), HasSubstr("plugins.toml:2:1: plugins.test_absent.enabled"));
  EXPECT_THAT(refusal(absent + "[train]\nsteps = \"many\"\n", more, Exit::kUsage),
              AllOf(HasSubstr("plugins.toml:2:1: plugins.test_absent.enabled"),
                    HasSubstr("plugins.toml:4:1: train.steps")));
}

constexpr const char* kTwoOwners =
    "[plugins.test_slot_a]\nenabled = true\n[plugins.test_slot_b]\nenabled = true\n";

TEST(LoadedPlugins, FaultsOfThePlanHaveTheirPlacesInTheSameReport) {
  const std::vector<KeySpec> more = {{"train.steps", KeyType::kInt, "1", "steps"}};
  const std::string fault = "plugins.toml:4:1: plugins.test_slot_b.enabled: slot 'precision' is claimed by both "
                            "'test_slot_a' and 'test_slot_b'";
  EXPECT_THAT(refusal(kTwoOwners, more, Exit::kPlugin), testing::StartsWith(fault));
  EXPECT_THAT(refusal(kTwoOwners + std::string("[train]\nsteps = 'many'\n"), more, Exit::kUsage),
              AllOf(testing::StartsWith(fault), HasSubstr("\nplugins.toml:6:1: train.steps: ")));
  const std::string circle = "[plugins.test_cycle_a]\nenabled = true\n[plugins.test_cycle_b]\nenabled = true\n";
  EXPECT_THAT(refusal(circle, more, Exit::kPlugin), testing::ContainsRegex("plugins.toml:[24]:1: plugins.test_cycle_"));
}

TEST(LoadedPlugins, NoPlanIsJudgedByWrongKeysOfPlugins) {
  const std::string wrong = refusal(kTwoOwners + std::string("levle = 'O0'\n"), {}, Exit::kUsage);
  EXPECT_THAT(wrong, AllOf(HasSubstr("plugins.toml:5:1: plugins.test_slot_b.levle: unknown key"),
                           testing::Not(HasSubstr("claimed"))));
}

TEST(LoadedPlugins, WhatTheCallerChecksJoinsTheReport) {
  Schema schema;
  schema.add({"plugins.search", KeyType::kStringList, "[]", "folders"}).add({"train.steps", KeyType::kInt, "1", "", 1});
  std::vector<bool> planned;
  const auto check = [&](const Config& config, const LoadPlan* plan, std::vector<std::string>& faults) {
    planned.push_back(plan != nullptr);
    if (!config.is_faulty("train.steps")) faults.push_back(config.cite("train.steps") + ": is not to my taste");
  };
  const auto report = [&](const std::string& toml) -> std::string {
    const std::string search = "plugins.search = ['" SZ_TEST_PLUGINS "']\n";
    try {
      LoadedPlugins(ConfigDocument::parse(search + toml, "x.toml"), schema, check);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::kUsage);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(report("train.steps = 3\ntrain.stepz = 3\n"),
            "x.toml:2:7: train.steps: is not to my taste\n"
            "x.toml:3:7: train.stepz: unknown key; did you mean train.steps?");
  EXPECT_EQ(report("train.steps = 0\n"), "x.toml:2:7: train.steps: must be at least 1, is 0");
  EXPECT_THAT(report(std::string("train.steps = 3\n") + kTwoOwners),
              AllOf(HasSubstr("not to my taste\nx.toml:6:1: plugins.test_slot_b.enabled: slot 'precision'")));
  EXPECT_EQ(planned, (std::vector<bool>{true, true, false}));
}

TEST(LoadedPlugins, FurtherKeysHaveTheirValues) {
  const LoadedPlugins plugins("[train]\nsteps = 7\n", {SZ_TEST_PLUGINS, "/a folder with \"quotes\""},
                              {{"train.steps", KeyType::kInt, "1", "steps"}});
  EXPECT_EQ(plugins.config().get_int("train.steps"), 7);
  EXPECT_EQ(plugins.config().get_string_list("plugins.search"),
            (std::vector<std::string>{SZ_TEST_PLUGINS, "/a folder with \"quotes\""}));
  EXPECT_TRUE(plugins.plan().plugins.empty());
}

TEST(LoadedPlugins, StartGivesServicesToTheRegistryBesideThoseOfTheRuntime) {
  TestRun run("[plugins.test_services]\nenabled = true\n");
  run.registry.add("sz.optimizer/1", "own", "runtime", std::shared_ptr<Optimizer>());
  run.start();
  EXPECT_THAT(run.registry.names("sz.optimizer/1"), testing::UnorderedElementsAre("own", "plain_sgd"));
  EXPECT_EQ(run.context.config, nullptr) << "filled in on a copy";
}

}  // namespace
}  // namespace sz
