// From the configuration to the options of the runtime's parts.
#include "app/settings.h"

#include <gtest/gtest.h>

#include "app/schema.h"
#include "base/error.h"

namespace sz {
namespace {

Config resolved(const std::string& toml) {
  const std::string text = "[data]\npaths = [\"x.txt\"]\n" + toml;
  return Config::resolve(ConfigDocument::parse(text, "run.toml"), runtime_schema(), {});
}

TEST(Settings, TheStableStateIsKeptWhereItMayBeOfUse) {
  EXPECT_FALSE(keep_stable(resolved(""), false));
  EXPECT_TRUE(keep_stable(resolved(""), true));
  EXPECT_TRUE(keep_stable(resolved("[train]\nsnapshot = \"host\"\n"), false));
  EXPECT_FALSE(keep_stable(resolved("[train]\nsnapshot = \"none\"\n"), true));
}

TEST(Settings, AnUnknownPlaceOfTheStableStateIsAnsweredWithThoseThatThereAre) {
  try {
    resolved("[train]\nsnapshot = \"disk\"\n");
    FAIL() << "took \"disk\"";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kUsage);
    const std::string text = error.what();
    for (const char* part : {"run.toml:4:", "train.snapshot", "\"disk\"", "\"auto\", \"host\", \"none\""}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
    }
  }
}

}  // namespace
}  // namespace sz
