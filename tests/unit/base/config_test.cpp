#include "base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/temporary_folder.h"

namespace sz {
namespace {

using test::spit;
using test::TemporaryFolder;
using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;

Schema schema() {
  Schema s;
  s.add({"run.name", KeyType::kString, "\"demo\"", "the run's name"});
  s.add({"train.steps", KeyType::kInt, "100", "steps to train", 1});
  s.add({"train.micro_batch", KeyType::kInt, "8", "samples of a micro-batch", 1, 4096});
  KeySpec precision{"train.precision", KeyType::kString, "\"fp32\""};
  precision.choices = {"fp32", "bf16"};
  s.add(precision);
  s.add({"optimizer.lr", KeyType::kFloat, "6e-5", "peak learning rate", 0});
  s.add({"optimizer.betas", KeyType::kFloatList, "[0.9, 0.95]", "", 0, 1});
  s.add({"optimizer.schedule.warmup_steps", KeyType::kInt, "2000", "", 0});
  s.add({"train.grad_clip", KeyType::kFloat, "", "", 0});
  s.add({"train.shuffle", KeyType::kBool, "true", ""});
  KeySpec paths{"data.paths", KeyType::kStringList, "[]", "text files"};
  paths.per_host = true;
  s.add(paths);
  s.add({"plugins.search", KeyType::kStringList, "[]", "folders"});
  return s;
}

Config resolve(const std::string& text, const std::vector<std::string>& sets = {}, const Schema& s = schema(),
               const std::vector<std::string>& extra = {}) {
  return Config::resolve(ConfigDocument::parse(text, "x.toml", sets), s, extra);
}

std::string faults(const std::string& text, const std::vector<std::string>& sets = {}, const Schema& s = schema(),
                   const std::vector<std::string>& extra = {}) {
  const test::Thrown thrown = thrown_by([&] { resolve(text, sets, s, extra); });
  EXPECT_EQ(thrown.exit, thrown.message.empty() ? Exit::kOk : Exit::kUsage);
  return thrown.message;
}

TEST(Config, DefaultsAndValues) {
  const Config c = resolve("[train]\nsteps = 7\nprecision = 'bf16'\n[optimizer]\nlr = 1\n[data]\npaths = ['a', '文']\n");
  EXPECT_EQ(c.get_int("train.steps"), 7);
  EXPECT_EQ(c.get_int("train.micro_batch"), 8);
  EXPECT_EQ(c.get_string("train.precision"), "bf16");
  EXPECT_EQ(c.get_float("optimizer.lr"), 1.0);
  EXPECT_THAT(c.get_float_list("optimizer.betas"), ElementsAre(0.9, 0.95));
  EXPECT_THAT(c.get_string_list("data.paths"), ElementsAre("a", "文"));
  EXPECT_TRUE(c.get_bool("train.shuffle"));
  EXPECT_FALSE(c.has("train.grad_clip"));
  EXPECT_EQ(c.cite("train.steps"), "x.toml:2:1: train.steps");
  EXPECT_EQ(c.cite("train.micro_batch"), "train.micro_batch");
}

TEST(Config, UnknownKeys) {
  EXPECT_EQ(faults("[train]\n  micro_bacth = 3\n"),
            "x.toml:2:3: train.micro_bacth: unknown key; did you mean train.micro_batch?");
  EXPECT_EQ(faults("[optimizer]\nwarmup_steps = 3\n"),
            "x.toml:2:1: optimizer.warmup_steps: unknown key; did you mean optimizer.schedule.warmup_steps?");
  EXPECT_EQ(faults("[train]\nzzzzzz = 3\n"), "x.toml:2:1: train.zzzzzz: unknown key");
  EXPECT_EQ(faults("[train]\n\"micro batch\" = 3\n"),
            "x.toml:2:1: train.\"micro batch\": unknown key; did you mean train.micro_batch?");
}

TEST(Config, UnknownTablesAreReportedOnce) {
  EXPECT_EQ(faults("[trian]\nsteps = 3\nmicro_batch = 1\n"), "x.toml:1:2: trian: unknown table; did you mean [train]?");
  EXPECT_EQ(faults("[quite.other]\na = 1\n[quite.other.deep]\nb = 1\n"), "x.toml:1:2: quite: unknown table");
  EXPECT_EQ(faults("", {"trian.steps=3"}),
            "--set trian.steps=3: trian.steps: unknown key; did you mean train.steps?");
}

TEST(Config, Types) {
  EXPECT_EQ(faults("[train]\nsteps = \"ten\"\n"),
            "x.toml:2:1: train.steps: expected an integer, got the string \"ten\"");
  EXPECT_EQ(faults("train.steps = 1e3"),
            "x.toml:1:7: train.steps: expected an integer, got the float 1000.0; write 1000");
  EXPECT_EQ(faults("train.steps = 1.5"), "x.toml:1:7: train.steps: expected an integer, got the float 1.5");
  EXPECT_EQ(faults("train.shuffle = 1"), "x.toml:1:7: train.shuffle: expected true or false, got the integer 1");
  EXPECT_EQ(faults("run.name = 1979-05-27"), "x.toml:1:5: run.name: expected a string, got the date 1979-05-27");
  EXPECT_EQ(faults("data.paths = 'a'"),
            "x.toml:1:6: data.paths: expected a list of strings, got the string \"a\"; write [\"a\"]");
  EXPECT_EQ(faults("data.paths = ['a', 2]"), "x.toml:1:6: data.paths: element 2 is no string but the integer 2");
  EXPECT_EQ(faults("train = 5"),
            "x.toml:1:1: train: is a table of keys, got the integer 5; write [train] above its keys");
  EXPECT_EQ(faults("[train.steps]\nx = 1"),
            "x.toml:1:8: train.steps: is a table, but the key takes one value (steps to train)");
}

TEST(Config, RangesChoicesAndNan) {
  EXPECT_EQ(faults("train.steps = 0"), "x.toml:1:7: train.steps: must be at least 1, is 0");
  EXPECT_EQ(faults("train.micro_batch = 5000"),
            "x.toml:1:7: train.micro_batch: must be between 1 and 4096, is 5000");
  EXPECT_EQ(faults("optimizer.lr = nan"), "x.toml:1:11: optimizer.lr: must be a finite number, is nan");
  EXPECT_EQ(faults("optimizer.lr = inf"), "x.toml:1:11: optimizer.lr: must be a finite number, is inf");
  EXPECT_EQ(faults("optimizer.lr = -inf"), "x.toml:1:11: optimizer.lr: must be at least 0, is -inf");
  EXPECT_EQ(faults("optimizer.betas = [nan, 0.9]"),
            "x.toml:1:11: optimizer.betas: element 1 must be between 0 and 1, is nan");
  EXPECT_EQ(faults("optimizer.betas = [0.9, 1.5]"),
            "x.toml:1:11: optimizer.betas: element 2 must be between 0 and 1, is 1.5");
  EXPECT_EQ(faults("train.precision = 'fp23'"),
            "x.toml:1:7: train.precision: must be one of \"fp32\", \"bf16\", is \"fp23\"; did you mean \"fp32\"?");
}

TEST(Config, AStringOfChoicesWithLimitsTakesANumberAsWell) {
  Schema schema;
  KeySpec scale;
  scale.path = "amp.scale";
  scale.type = KeyType::kString;
  scale.default_toml = "\"dynamic\"";
  scale.choices = {"dynamic"};
  scale.min = 1;
  scale.max = 4096;
  schema.add(scale);
  const auto read = [&](const std::string& value) {
    const Config config = Config::resolve(ConfigDocument::parse("[amp]\nscale = " + value, "f.toml"), schema);
    const Config again = Config::resolve(ConfigDocument::parse(config.to_toml(), "f.toml"), schema);
    EXPECT_EQ(again.get_string("amp.scale"), config.get_string("amp.scale"));
    return config.get_string("amp.scale");
  };
  EXPECT_EQ(read("\"dynamic\""), "dynamic");
  EXPECT_EQ(read("1024"), "1024");
  EXPECT_EQ(std::stod(read("2.5")), 2.5);
  for (const char* wrong : {"0", "8192", "\"8192\"", "true", "\"dynamik\"", "nan"}) {
    EXPECT_THROW(read(wrong), Error) << wrong;
  }
}

TEST(Config, RequiredKeys) {
  Schema s = schema();
  KeySpec type{"model.type", KeyType::kString, "", "the architecture"};
  type.required = true;
  s.add(type);
  KeySpec of_plugin{"plugins.p.file", KeyType::kString, ""};
  of_plugin.required = true;
  s.add(of_plugin);
  EXPECT_EQ(faults("", {}, s), "x.toml: model.type: is missing and must be given (the architecture)");
  EXPECT_EQ(faults("model.type = 'a'\n[plugins.p]\nenabled = true\n", {}, s),
            "x.toml: plugins.p.file: is missing and must be given");
  EXPECT_EQ(faults("model.type = 'a'\n[plugins.p]\nenabled = false\n", {}, s), "");
  // A value of the wrong type is one fault, not two.
  EXPECT_EQ(faults("model.type = 3", {}, s), "x.toml:1:7: model.type: expected a string, got the integer 3");
}

TEST(Config, AllFaultsInOneSortedReport) {
  const std::string text = "[train]\nsteps = 0\nnope = 1\n[optimizer]\nlr = 'x'\n";
  EXPECT_EQ(faults(text, {"train.micro_batch=0"}, schema(), {"x.toml:3:9: plugins.z: not found", "no place at all"}),
            "x.toml:2:1: train.steps: must be at least 1, is 0\n"
            "x.toml:3:1: train.nope: unknown key\n"
            "x.toml:3:9: plugins.z: not found\n"
            "x.toml:5:1: optimizer.lr: expected a number, got the string \"x\"\n"
            "no place at all\n"
            "--set train.micro_batch=0: train.micro_batch: must be between 1 and 4096, is 0");
}

TEST(Config, SyntaxErrors) {
  // The column is the parser's: past the key or past the value, by its version.
  EXPECT_THAT(faults("a = 1\na = 2\n"),
              MatchesRegex("x.toml:2:[0-9]: cannot redefine existing integer 'a' \\(while parsing key-value pair\\)"));
  EXPECT_THAT(faults("[train]\nsteps = \n"), HasSubstr("x.toml:2:9: "));
  EXPECT_THAT(faults("[train]\n[train]\n"), HasSubstr("x.toml:2:"));
  EXPECT_THAT(faults("run.name = \"\xff\""), HasSubstr("x.toml:1:"));
}

TEST(Config, Sets) {
  const Config c = resolve("[train]\nsteps = 7\n", {"train.steps=9", "run.name = 42", "data.paths=/some/folder",
                                                   "optimizer.betas=[0, 0.5]", "train.precision=bf16"});
  EXPECT_EQ(c.get_int("train.steps"), 9);
  EXPECT_EQ(c.get_string("run.name"), "42");
  EXPECT_EQ(c.get_string("train.precision"), "bf16");
  EXPECT_THAT(c.get_string_list("data.paths"), ElementsAre("/some/folder"));
  EXPECT_THAT(c.get_float_list("optimizer.betas"), ElementsAre(0.0, 0.5));
  EXPECT_EQ(c.cite("train.steps"), "--set train.steps=9: train.steps");
  EXPECT_EQ(c.where("train.steps").line, 0);
  EXPECT_EQ(resolve("", {"run.name=a=b c"}).get_string("run.name"), "a=b c");
  EXPECT_EQ(resolve("", {"run.name=1\n[x]"}).get_string("run.name"), "1\n[x]");
}

TEST(Config, BadSets) {
  EXPECT_EQ(faults("", {"train.steps=x"}),
            "--set train.steps=x: train.steps: expected an integer, got the string \"x\"");
  EXPECT_THAT(faults("", {"train.steps"}), HasSubstr("--set train.steps: expected KEY=VALUE"));
  EXPECT_THAT(faults("", {"a b=1"}), HasSubstr("\"a b\" is not a key"));
  EXPECT_THAT(faults("", {"data.paths=[a,b]"}), HasSubstr("[a,b] is no TOML value; the shell"));
  EXPECT_THAT(faults("", {"include=x"}), HasSubstr("include can only stand in a file"));
}

TEST(Config, TheLatestWinsAlsoOverTables) {
  const Config c = resolve("train = {steps = 3, micro_batch = 2}", {"train={steps=4}"});
  EXPECT_EQ(c.get_int("train.steps"), 4);
  EXPECT_EQ(c.get_int("train.micro_batch"), 2);
  EXPECT_EQ(faults("[train.steps]\nx = 1", {"train.steps=5"}), "");
}

TEST(Config, PluginTables) {
  Schema s = schema();
  s.add({"plugins.amp_o2.scale", KeyType::kInt, "8192", "", 1});
  const std::string text =
      "[plugins]\nsearch = ['p']\n[plugins.z]\nenabled = true\nown = 3\nwhen = 1979-05-27\n"
      "[plugins.off]\nenabled = false\n'odd key' = [1, {a = 'b'}]\n[plugins.off.deep]\nk = nan\n"
      "[plugins.amp_o2]\nenabled = true\nscale = 2\nsha256 = 'ab'\n";
  const ConfigDocument doc = ConfigDocument::parse(text, "x.toml");
  EXPECT_THAT(doc.enabled_plugins(), ElementsAre("z", "amp_o2"));
  EXPECT_THAT(doc.string_list_at("plugins.search"), ElementsAre("p"));
  EXPECT_EQ(doc.string_at("plugins.amp_o2.sha256"), "ab");
  EXPECT_EQ(doc.string_at("plugins.amp_o2.path"), std::nullopt);
  EXPECT_EQ(doc.where("plugins.z").line, 3);
  const Config c = Config::resolve(doc, s);
  EXPECT_TRUE(c.get_bool("plugins.z.enabled"));
  EXPECT_EQ(c.get_int("plugins.amp_o2.scale"), 2);
  const Config again = Config::resolve(ConfigDocument::parse(c.to_toml(), "again"), s);
  EXPECT_EQ(again.to_toml(), c.to_toml());
  EXPECT_THAT(c.to_toml(), HasSubstr("[plugins.off]\n\"odd key\" = [1, { a = \"b\" }]\nenabled = false\n"));

  EXPECT_EQ(faults("[plugins.amp_o2]\nscael = 3", {}, s),
            "x.toml:2:1: plugins.amp_o2.scael: unknown key; did you mean plugins.amp_o2.scale?");
  EXPECT_EQ(faults("[plugins.other]\nenabled = 'yes'"),
            "x.toml:2:1: plugins.other.enabled: expected true or false, got the string \"yes\"");
  EXPECT_EQ(faults("[plugins.other]\nenable = true"),
            "x.toml:2:1: plugins.other.enable: unknown key; did you mean plugins.other.enabled?");
  EXPECT_THAT(ConfigDocument::parse(text, "x", {"plugins.z.enabled=false", "plugins.n.enabled=true"}).enabled_plugins(),
              ElementsAre("amp_o2", "n"));
}

TEST(Config, RoundTripAndHash) {
  const Config c = resolve("run.name = \"a\\\"\\\\\\n\\u0001中\"\ntrain.grad_clip = 1\noptimizer.lr = 0.1\n"
                           "data.paths = ['x']\n");
  const Config again = resolve(c.to_toml());
  EXPECT_EQ(again.get_string("run.name"), "a\"\\\n\x01中");
  EXPECT_EQ(again.hash(), c.hash());
  EXPECT_EQ(again.to_toml(), c.to_toml());
  EXPECT_THAT(c.to_toml(), HasSubstr("[optimizer]\nbetas = [0.9, 0.95]\nlr = 0.1\n"));
  EXPECT_THAT(c.to_toml(), HasSubstr("grad_clip = 1.0\n"));

  // Spelling and per-host keys leave the hash alone; values change it.
  const uint64_t hash = resolve("train.steps = 10").hash();
  EXPECT_EQ(resolve("train = {steps = 0xA}\ndata.paths = ['y']").hash(), hash);
  EXPECT_NE(resolve("train.steps = 11").hash(), hash);
  EXPECT_THAT(resolve("train.steps = 10").fingerprint(), ::testing::Contains(Pair("train.steps", "10")));
  for (const auto& [path, value] : c.fingerprint()) EXPECT_NE(path, "data.paths");
}

TEST(Config, FaultsOfDefaults) {
  EXPECT_EQ(fault_of_default({"a.b", KeyType::kInt, "1"}), "");
  EXPECT_THAT(fault_of_default({"a.b", KeyType::kInt, "'x'"}), HasSubstr("a.b: its default: expected an integer"));
  EXPECT_THAT(fault_of_default({"a.b", KeyType::kInt, "1 2"}), HasSubstr("a.b: its default: "));
  EXPECT_THAT(fault_of_default({"a.b", KeyType::kInt, "0", "", 1}), HasSubstr("must be at least 1, is 0"));
}

TEST(ConfigDeathTest, MisuseIsAnAssertion) {
  EXPECT_DEATH(resolve("").get_int("no.such"), "config key no.such");
  EXPECT_DEATH(resolve("").get_int("run.name"), "config key run.name");
  EXPECT_DEATH(Schema().add({"a", KeyType::kInt, ""}).add({"a", KeyType::kInt, ""}), "config key a");
}

TEST(Config, Includes) {
  const TemporaryFolder folder;
  spit(folder / "main.toml", "include = ['sub/a.toml', 'b.toml']\n[train]\nsteps = 1\n");
  spit(folder / "sub/a.toml", "include = '../c.toml'\n[train]\nsteps = 2\nmicro_batch = 2\n[optimizer]\nlr = 2.0\n");
  spit(folder / "b.toml", "[optimizer]\nlr = 3.0\n");
  spit(folder / "c.toml", "[run]\nname = 'from c'\n[train]\nmicro_batch = 4\n");
  const Config c = Config::resolve(ConfigDocument::load(folder / "main.toml", {}), schema());
  EXPECT_EQ(c.get_int("train.steps"), 1);
  EXPECT_EQ(c.get_int("train.micro_batch"), 2);
  EXPECT_EQ(c.get_float("optimizer.lr"), 3.0);
  EXPECT_EQ(c.get_string("run.name"), "from c");
  EXPECT_EQ(c.where("run.name").file, folder / "c.toml");
  EXPECT_EQ(c.cite("optimizer.lr"), (folder / "b.toml") + ":2:1: optimizer.lr");
}

TEST(Config, BadIncludes) {
  const TemporaryFolder folder;
  const auto load = [&] { (void)ConfigDocument::load(folder / "main.toml", {}); };
  EXPECT_THAT(thrown_by(load).message, HasSubstr("cannot read " + (folder / "main.toml")));
  spit(folder / "main.toml", "\ninclude = ['none.toml']\n");
  EXPECT_THAT(thrown_by(load).message,
              HasSubstr((folder / "main.toml") + ":2:1: include: cannot read " + (folder / "none.toml")));
  spit(folder / "main.toml", "include = 'a.toml'\n");
  spit(folder / "a.toml", "include = './main.toml'\n");
  EXPECT_THAT(thrown_by(load).message, HasSubstr((folder / "a.toml") + ":1:1: include: a cycle: "));
  spit(folder / "a.toml", "x = \n");
  EXPECT_THAT(thrown_by(load).message, HasSubstr((folder / "a.toml") + ":1:5: "));
  spit(folder / "main.toml", "include = 3\n");
  EXPECT_THAT(thrown_by(load).message, HasSubstr("include: expected a list of file names, got the integer 3"));
}

}  // namespace
}  // namespace sz
