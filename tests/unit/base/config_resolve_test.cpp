// A configuration that is wrong in places, for a report that others add to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/config.h"

namespace sz {
namespace {

using ::testing::IsEmpty;

Schema schema() {
  Schema s;
  s.add({"train.steps", KeyType::kInt, "7", "", 1});
  s.add({"train.clip", KeyType::kFloat, ""});
  KeySpec paths{"data.paths", KeyType::kStringList, ""};
  paths.required = true;
  s.add(paths);
  s.add({"plugins.x.depth", KeyType::kInt, "2", "", 1});
  return s;
}

std::vector<std::string> faults;

Config partly(const std::string& toml) {
  faults.clear();
  return Config::resolve_partly(ConfigDocument::parse(toml, "x.toml"), schema(), faults);
}

TEST(ConfigResolve, ASoundOneIsNoDifferent) {
  const Config c = partly("train.steps = 3\ndata.paths = ['a']\n");
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_EQ(c.get_int("train.steps"), 3);
  EXPECT_FALSE(c.is_faulty("train"));
  EXPECT_FALSE(c.has_unknown());
}

TEST(ConfigResolve, AFaultyKeyHasItsDefaultOrNone) {
  const Config c = partly("train.steps = 'x'\ntrain.clip = 'y'\n");
  EXPECT_EQ(faults.size(), 3u);  // and data.paths is missing
  EXPECT_EQ(c.get_int("train.steps"), 7);
  EXPECT_FALSE(c.has("train.clip"));
  for (const char* path : {"train.steps", "train.clip", "train", "data.paths", "data"}) {
    EXPECT_TRUE(c.is_faulty(path)) << path;
  }
  for (const char* path : {"train.ste", "tra", "plugins", "plugins.x.depth"}) EXPECT_FALSE(c.is_faulty(path)) << path;
  EXPECT_FALSE(c.has_unknown());
}

TEST(ConfigResolve, UnknownKeysAndTablesMayBeMisspeltOnes) {
  for (const char* toml : {"trian.steps = 3\n", "train.stepz = 3\n", "train = 3\n", "plugins.x.detph = 1\n",
                           "plugins.y.enabeld = true\n"}) {
    const Config c = partly(std::string("data.paths = ['a']\n") + toml);
    EXPECT_EQ(faults.size(), 1u) << toml;
    EXPECT_TRUE(c.has_unknown()) << toml;
  }
  EXPECT_TRUE(partly("plugins.x.detph = 1\n").is_faulty("plugins"));
}

TEST(ConfigResolve, AReportIsSortedByPlace) {
  EXPECT_EQ(sorted_report({"no place", "x.toml:10:1: b", "x.toml:9:2: a", "x.toml:9:1: a\n  of two lines",
                           "w.toml:99:1: c"}),
            "w.toml:99:1: c\nx.toml:9:1: a\n  of two lines\nx.toml:9:2: a\nx.toml:10:1: b\nno place");
  EXPECT_EQ(sorted_report({}), "");
}

}  // namespace
}  // namespace sz
