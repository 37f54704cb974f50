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

// What is wrong with a table of keys, which begins at line 4.
std::string report_of(const std::string& table, const std::string& keys) {
  try {
    const Config config = resolved("[" + table + "]\n" + keys);
    std::string text;
    for (const std::string& fault : cross_key_faults(config)) text += (text.empty() ? "" : "\n") + fault;
    return text;
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kUsage);
    return error.what();
  }
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

// The message that `toml` is refused with; "" where it isn't.
std::string refusal_of(const std::string& toml) {
  try {
    Config::resolve(ConfigDocument::parse(toml, "run.toml"), runtime_schema());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Settings, TextThatMustBeThereIsMissedAtItsPlace) {
  for (const std::string key : {"run.out", "data.cache", "data.text_field", "data.prompt_field", "data.response_field",
                                "plugins.x.path", "plugins.x.sha256"}) {
    const std::string refusal = refusal_of("data.paths = [\"a\"]\n" + key + " = \"\"\n");
    const std::string column = std::to_string(key.rfind('.') + 2);
    const std::string expected = "run.toml:2:" + column + ": " + key + ": must not be empty";
    EXPECT_EQ(refusal.substr(0, expected.size()), expected);
  }
}

TEST(Settings, ListsOfPathsHoldPaths) {
  EXPECT_EQ(refusal_of("data.paths = []").find("run.toml:1:6: data.paths: must not be empty"), 0u);
  EXPECT_EQ(refusal_of("data.paths = ['a', '']").find("run.toml:1:6: data.paths: element 2 must not be empty"), 0u);
  EXPECT_EQ(refusal_of("data.paths = ['a']\nplugins.search = []"), "");
  EXPECT_EQ(refusal_of("data.paths = [\"a\\u0000b\"]"), "run.toml:1:6: data.paths: element 1 holds a NUL character");
  EXPECT_EQ(refusal_of("data.paths = ['a']\nrun.name = \"a\\u0000\""),
            "run.toml:2:5: run.name: holds a NUL character");
}

TEST(Settings, ARunsNameIsThatOfOneFolder) {
  for (const char* name : {"", "a/b", "..", ".", ".hidden", "/"}) {
    const std::string report = report_of("run", "name = \"" + std::string(name) + "\"\n[train]\nsteps = 1\n");
    EXPECT_EQ(report, "run.toml:4:1: run.name: must be a plain folder name, is \"" + std::string(name) + "\"");
  }
  EXPECT_EQ(report_of("run", "name = \"a.b-c 7\"\n[train]\nsteps = 1\n"), "");
}

TEST(Settings, AMisspeltMatrixRouteIsFoundBeforeTheRun) {
  EXPECT_EQ(report_of("run", "matrix_route = \"onednm\"\n"),
            "run.toml:4:1: run.matrix_route: must be one of \"mkl\", \"mkl_fast\", \"onednn\", \"blas\", is \"onednm\"; "
            "did you mean \"onednn\"?");
}

TEST(Settings, TheLeastLearningRateIsComparedWhereItIsUsed) {
  const auto report = [](const std::string& optimizer, const std::string& schedule) {
    return report_of("optimizer", optimizer + "[optimizer.schedule]\n" + schedule + "[train]\nsteps = 1\n");
  };
  EXPECT_EQ(report("lr = 5e-7\n", "decay_type = \"constant\"\n"), "");
  EXPECT_EQ(report("lr = 5e-7\n", "min_lr = 1e-7\n"), "");
  EXPECT_EQ(report("lr = 5e-7\n", ""), "run.toml:4:1: optimizer.lr: 5e-07 is below the default of "
                                       "optimizer.schedule.min_lr, 1e-06, where the decay ends; set that as well");
  EXPECT_EQ(report("lr = 1e-3\n", "decay_type = \"constant\"\ntail_steps = 2\nmin_lr = 2e-3\n"),
            "run.toml:8:1: optimizer.schedule.min_lr: 0.002 is above optimizer.lr, 0.001");
}

}  // namespace
}  // namespace sz
