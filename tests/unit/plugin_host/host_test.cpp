#include "plugin_host/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "unit/plugin_host/host_fixture.h"

namespace sz {
namespace {

using testing::HasSubstr;

std::string fault_of(const std::function<void()>& body, Exit exit = Exit::kPlugin) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), exit) << error.what();
    return error.what();
  }
  return "";
}

TEST(PluginHost, NoPluginsIsAPlainRun) {
  TestRun run("");
  run.start();
  EXPECT_TRUE(run.hooks.entries().empty());
  EXPECT_EQ(run.host.precision(), nullptr);
}

TEST(PluginHost, KeysOfPluginsAreCheckedWithAllOthers) {
  const std::string faults = fault_of([] { TestRun run("[plugins.test_probe]\nenabled = true\nwindw = 3\n"); },
                                      Exit::kUsage);
  EXPECT_THAT(faults, HasSubstr("plugins.toml:3:1: plugins.test_probe.windw"));
  EXPECT_THAT(faults, HasSubstr("plugins.test_probe.window"));
  EXPECT_THAT(fault_of([] { TestRun run("[plugins.test_probe]\nenabled = true\nwindow = 0\n"); }, Exit::kUsage),
              HasSubstr("plugins.test_probe.window"));
}

TEST(PluginHost, PluginThatIsNotThereIsAFaultWithItsPlace) {
  const std::string faults = fault_of([] { TestRun run("[plugins.test_prob]\nenabled = true\n"); });
  EXPECT_THAT(faults, HasSubstr("plugins.toml:2:1: plugins.test_prob.enabled"));
  EXPECT_THAT(faults, HasSubstr("did you mean 'test_probe'"));
}

TEST(PluginHost, TableAndPluginMustHaveOneName) {
  const std::string toml = "[plugins.other]\nenabled = true\npath = \"" SZ_TEST_PLUGINS "/test_probe.so\"\n";
  EXPECT_THAT(fault_of([&] { TestRun run(toml); }), HasSubstr("[plugins.test_probe]"));
}

TEST(PluginHost, DisabledPluginsAreNotOpened) {
  TestRun run("[plugins.test_wrong_abi]\nenabled = false\nwhatever = 3\n");
  EXPECT_TRUE(run.host.plan().plugins.empty());
}

TEST(PluginHost, TwoOwnersOfASlotAreRefusedUnlessOneStepsBack) {
  const std::string both = "[plugins.test_slot_a]\nenabled = true\n[plugins.test_slot_b]\nenabled = true\n";
  const std::string faults = fault_of([&] { TestRun run(both); });
  EXPECT_THAT(faults, HasSubstr("'test_slot_a' and 'test_slot_b'"));
  TestRun quiet(both + "level = \"O0\"\n");
  EXPECT_EQ(quiet.host.plan().slots.at(Slot::kPrecision), "test_slot_a");
}

TEST(PluginHost, CycleOfHooksNamesBoth) {
  const std::string toml = "[plugins.test_cycle_a]\nenabled = true\n[plugins.test_cycle_b]\nenabled = true\n";
  EXPECT_THAT(fault_of([&] { TestRun run(toml); }),
              HasSubstr("'test_cycle_a' before 'test_cycle_b' before 'test_cycle_a'"));
}

TEST(PluginHost, FailingStartNamesThePlugin) {
  TestRun run("[plugins.test_failing]\nenabled = true\nfail_start = true\n");
  EXPECT_THAT(fault_of([&] { run.start(); }, Exit::kData),
              HasSubstr("plugin 'test_failing': start failed: it was told"));
}

TEST(PluginHost, ThirdCallFailsAndTheOthersGoOn) {
  TestRun run("[plugins.test_failing]\nenabled = true\n[plugins.test_cycle_a]\nenabled = true\n");
  run.start();
  for (int i = 0; i < 5; ++i) run.fire(Hook::kStepEnd);
  run.fire(Hook::kEvalEnd);
  EXPECT_THAT(run.failures(), HasSubstr("STEP_END: it was told to fail"));
  for (const HookTable::Entry& entry : run.hooks.entries()) {
    if (entry.observer->name() == "test_cycle_a") {
      EXPECT_EQ(entry.calls, 5u);
    }
    if (entry.observer->name() == "test_failing" && entry.failed) {
      EXPECT_EQ(entry.calls, 3u);
    }
  }
}

TEST(PluginHost, RanksAgreeOnTableEntries) {
  std::atomic<int> different = 0;
  std::atomic<size_t> entries = 0;
  run_thread_ranks(3, [&](Communicator& comm) {
    TestRun run("[plugins.test_failing]\nenabled = true\nfail_rank = 1\n", &comm);
    run.start();
    run.host.compare_ranks(comm, run.config);
    for (int i = 0; i < 3; ++i) run.fire(Hook::kStepEnd);
    if (run.failures().empty() != (comm.rank() != 1)) ++different;
    entries += run.hooks.entries().size();
  });
  EXPECT_EQ(different, 0);
  EXPECT_EQ(entries % 3, 0u);
}

TEST(PluginHost, RanksWithOtherKeysAreFound) {
  std::atomic<int> found = 0;
  run_thread_ranks(2, [&](Communicator& comm) {
    TestRun run("[plugins.test_failing]\nenabled = true\nfail_rank = " + std::to_string(comm.rank()) + "\n", &comm);
    const std::string fault = fault_of([&] { run.host.compare_ranks(comm, run.config); });
    if (fault.find("rank 1: plugins.test_failing.fail_rank is '1', on rank 0 '0'") != std::string::npos) ++found;
  });
  EXPECT_EQ(found, 2);
}

TEST(PluginHost, OncePluginIsDisabledElsewhereItIsSilentHere) {
  TestRun run("[plugins.test_failing]\nenabled = true\nfail_rank = 5\n");
  run.start();
  for (size_t i = 0; i < run.hooks.entries().size(); ++i) {
    const HookTable::Entry& entry = run.hooks.entries()[i];
    if (entry.observer->name() == "test_failing" && entry.mask == uint64_t(1) << int(Hook::kEvalEnd)) {
      run.hooks.disable(i);
    }
  }
  for (int i = 0; i < 4; ++i) run.fire(Hook::kStepEnd);
  EXPECT_EQ(run.failures(), "");
}

}  // namespace
}  // namespace sz
