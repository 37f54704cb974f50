#include "plugin_host/reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/plugin_host/host_fixture.h"

namespace sz {
namespace {

using testing::HasSubstr;

SearchPath test_search() {
  SearchPath search;
  search.folders = {{SZ_TEST_PLUGINS, "test"}};
  return search;
}

TEST(Reports, ListHasEveryPluginAndWhyOneCannotBeUsed) {
  const std::string text = list_text(test_search());
  EXPECT_THAT(text, HasSubstr("asks the host everything"));
  EXPECT_THAT(text, HasSubstr("test_wrong_abi"));
  EXPECT_THAT(text, HasSubstr("98 to 99"));
}

TEST(Reports, ListOfNothingSaysWhereItLooked) {
  SearchPath search;
  search.folders = {{"/no/such/folder", "SZ_PLUGIN_PATH"}};
  EXPECT_THAT(list_text(search), HasSubstr("/no/such/folder (SZ_PLUGIN_PATH)"));
}

TEST(Reports, InfoShowsKeysClaimsAndWhatTheHostServes) {
  const std::string text = info_text("test_slot_a", test_search());
  EXPECT_THAT(text, HasSubstr("plugins.test_slot_a.level  (string, default \"O2\", one of O0, O2, O9)"));
  EXPECT_THAT(text, HasSubstr("precision  when level != O0"));
  EXPECT_THAT(text, HasSubstr("state: version 3, in checkpoints and rollbacks"));
  EXPECT_THAT(text, HasSubstr("sz.source/1"));
  EXPECT_THAT(info_text("test_probe", test_search()), HasSubstr("试探宿主"));
  EXPECT_THAT(info_text(SZ_TEST_PLUGINS "/test_wrapper.so", test_search()), HasSubstr("SEGMENT_FORWARD (around)"));
  EXPECT_THROW(info_text("absent", test_search()), Error);
}

TEST(Reports, PlanShowsOrderAndOwners) {
  TestRun run("[plugins.test_slot_a]\nenabled = true\n[plugins.test_cycle_a]\nenabled = true\n");
  const std::string text = plan_text(run.host, run.config);
  EXPECT_THAT(text, HasSubstr("precision: test_slot_a"));
  EXPECT_THAT(text, HasSubstr("residency: (default)"));
  EXPECT_THAT(text, HasSubstr("STEP_END: test_cycle_a"));
}

TEST(Reports, HookTimesHaveALineAPluginAndHook) {
  TestRun run("[plugins.test_failing]\nenabled = true\n");
  run.start();
  run.fire(Hook::kStepEnd);
  run.fire(Hook::kStepEnd);
  const std::string text = hook_time_text(run.hooks);
  EXPECT_THAT(text, HasSubstr("test_failing"));
  EXPECT_THAT(text, HasSubstr("STEP_END"));
  EXPECT_THAT(text, HasSubstr("2 calls"));
}

}  // namespace
}  // namespace sz
