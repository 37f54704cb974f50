#include "plugin_host/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SearchTest : public testing::Test {
 protected:
  SearchTest() {
    root_ = fs::temp_directory_path() / ("sz_search_" + std::to_string(::getpid()));
    fs::create_directories(root_ / "one");
    fs::create_directories(root_ / "two");
    touch("one/amp.so");
    touch("two/amp.so");
    touch("two/profiler.so");
    touch("two/notes.txt");
    ::unsetenv("SZ_PLUGIN_PATH");
  }
  ~SearchTest() override {
    ::unsetenv("SZ_PLUGIN_PATH");
    fs::remove_all(root_);
  }
  void touch(const std::string& name) { std::ofstream(root_ / name) << "x"; }
  std::string at(const std::string& name) const { return (root_ / name).string(); }

  fs::path root_;
};

TEST_F(SearchTest, ConfiguredFoldersComeBeforeTheEnvironment) {
  const std::string environment = at("two") + "::" + at("absent");
  ::setenv("SZ_PLUGIN_PATH", environment.c_str(), 1);
  const SearchPath search = SearchPath::make({at("one")});
  ASSERT_EQ(search.folders.size(), 4u);
  EXPECT_EQ(search.folders[0].origin, "plugins.search");
  EXPECT_EQ(search.folders[1].path, at("two"));
  EXPECT_EQ(search.folders[3].origin, "beside the executable");
  EXPECT_EQ(find_plugin("amp", search), at("one/amp.so"));
  EXPECT_EQ(find_plugin("profiler", search), at("two/profiler.so"));
}

TEST_F(SearchTest, AFileThatTheConfigurationNamesComesFirst) {
  const std::string toml = "[plugins]\nsearch = [\"" + at("one") + "\"]\n[plugins.amp]\npath = \"" + at("two/amp.so") +
                           "\"\n[plugins.mine]\nenabled = false\npath = \"elsewhere/mine.so\"\n[plugins.other]\n";
  const SearchPath search = SearchPath::of(ConfigDocument::parse(toml, "x.toml"));
  EXPECT_EQ(find_plugin("amp", search), at("two/amp.so"));
  EXPECT_EQ(find_plugin("mine", search), "elsewhere/mine.so");
  std::map<std::string, std::string> listed;
  for (const FoundPlugin& plugin : all_plugins(search)) listed[plugin.name] = plugin.path;
  EXPECT_EQ(listed.at("amp"), at("two/amp.so"));
  EXPECT_EQ(listed.at("mine"), "elsewhere/mine.so");
  EXPECT_EQ(listed.count("other"), 0u);
}

TEST_F(SearchTest, ListsEveryNameOnce) {
  SearchPath search;
  search.folders = {{at("one"), "a"}, {at("two"), "b"}, {at("absent"), "c"}};
  const std::vector<FoundPlugin> found = all_plugins(search);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, at("one/amp.so"));
  EXPECT_EQ(found[1].name, "profiler");
}

TEST_F(SearchTest, MissingPluginSaysWhereAndSuggests) {
  SearchPath search;
  search.folders = {{at("one"), "plugins.search"}, {at("two"), "SZ_PLUGIN_PATH"}};
  try {
    find_plugin("profilr", search);
    FAIL() << "found what is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kPlugin);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'profiler'"));
    EXPECT_THAT(error.what(), HasSubstr(at("one/profilr.so") + " (plugins.search)"));
    EXPECT_THAT(error.what(), HasSubstr(at("two/profilr.so") + " (SZ_PLUGIN_PATH)"));
  }
}

}  // namespace
}  // namespace sz
