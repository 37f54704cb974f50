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
