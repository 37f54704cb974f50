// Order of start and stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "unit/plugin_host/host_fixture.h"

namespace sz {
namespace {

class LifeTest : public testing::Test {
 protected:
  LifeTest()
      : path_((std::filesystem::temp_directory_path() / ("sz_life_" + std::to_string(::getpid()))).string()) {}
  ~LifeTest() override { std::filesystem::remove(path_); }

  // test_life_a needs test_life_b.
  std::string both(const std::string& more = "") const {
    return "[plugins.test_life_b]\nenabled = true\ntrace = \"" + path_ + "\"\n[plugins.test_life_a]\nenabled = true\n" +
           "trace = \"" + path_ + "\"\n" + more;
  }

  std::string path_;
};

TEST_F(LifeTest, StopsInReverseOrderOfStart) {
  {
    TestRun run(both());
    run.start();
    run.host.stop();
    run.host.stop();  // once is enough
  }
  EXPECT_EQ(read_file(path_),
            "test_life_b start\ntest_life_a start\ntest_life_a stop\ntest_life_b stop\ntest_life_a destroy\n"
            "test_life_b destroy\n");
}

TEST_F(LifeTest, AfterAFailedStartOnlyDestroyFollowsForIt) {
  {
    TestRun run(both("fail = true\n"));
    EXPECT_THROW(run.start(), Error);
  }
  EXPECT_EQ(read_file(path_),
            "test_life_b start\ntest_life_a start\ntest_life_b stop\ntest_life_a destroy\ntest_life_b destroy\n");
}

TEST_F(LifeTest, MissingNeedIsRefusedBeforeCreate) {
  try {
    TestRun run("[plugins.test_life_a]\nenabled = true\n");
    FAIL() << "started without what it needs";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("set plugins.test_life_b.enabled = true"));
  }
}

}  // namespace
}  // namespace sz
