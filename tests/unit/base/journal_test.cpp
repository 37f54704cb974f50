#include "base/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/log.h"
#include "unit/base/temporary_folder.h"

namespace sz {
namespace {

using test::slurp;
using test::spit;
using test::TemporaryFolder;
using test::thrown_by;
using ::testing::HasSubstr;

Decision loss_scale() {
  Decision d;
  d.step = 18200;
  d.attempt = 18207;
  d.plugin = "amp_o2";
  d.what = "loss_scale";
  d.cause = "gradient variance jumped (sigma 0.42)";
  d.from = int64_t{8192};
  d.to = int64_t{4096};
  return d;
}

TEST(Journal, MetricsKeepOrderAndSpellNonFiniteNumbers) {
  const TemporaryFolder folder;
  {
    MetricsLog log(folder / "deep/metrics.jsonl");
    log.write({{"step", int64_t{1}}, {"attempt", int64_t{2}}, {"loss", 0.1}, {"a", NAN}, {"b", -INFINITY},
               {"c", INFINITY}, {"ok", true}, {"none", {}}, {"text", std::string("中\xff")}});
  }
  EXPECT_EQ(slurp(folder / "deep/metrics.jsonl"),
            "{\"step\":1,\"attempt\":2,\"loss\":0.1,\"a\":\"nan\",\"b\":\"-inf\",\"c\":\"inf\",\"ok\":true,"
            "\"none\":null,\"text\":\"中\uFFFD\"}\n");
}

TEST(Journal, ATornLastLineIsCutOff) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.jsonl";
  spit(path, "{\"attempt\":1}\n{\"attempt\":2}\n{\"atte");
  MetricsLog(path).write({{"attempt", int64_t{3}}});
  EXPECT_EQ(slurp(path), "{\"attempt\":1}\n{\"attempt\":2}\n{\"attempt\":3}\n");
  spit(path, "{\"atte");
  MetricsLog(path).write({{"attempt", int64_t{1}}});
  EXPECT_EQ(slurp(path), "{\"attempt\":1}\n");
}

TEST(Journal, ResumeCutsWhatComesAgain) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.jsonl";
  const std::string kept = "{\"attempt\":1}\n{\"note\":\"none\"}\nnot json\n{\"attempt\":2}\n{\"eval\":1}\n";
  spit(path, kept + "{\"attempt\":3}\n{\"eval\":2}\n{\"attempt\":4}\n{\"at");
  { MetricsLog log(path, 2); }
  EXPECT_EQ(slurp(path), kept);
  { MetricsLog log(path, 0); }
  EXPECT_EQ(slurp(path), "");
}

TEST(Journal, DecisionsWaitForTheirFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "d.jsonl";
  spit(path, "{\"attempt\":1}\n{\"attempt\":2}\n");
  const auto named = [](const std::string& what) {
    Decision d;
    d.what = what;
    return d;
  };
  { DecisionLog(Language::kEnglish).write(named("lost")); }
  DecisionLog log(Language::kEnglish);
  log.write(named("first"));
  EXPECT_EQ(slurp(path), "{\"attempt\":1}\n{\"attempt\":2}\n");
  log.open(path, 1);
  log.write(named("second"));
  std::istringstream text(slurp(path));
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) found.push_back(nlohmann::json::parse(line).value("what", "-"));
  EXPECT_EQ(found, (std::vector<std::string>{"-", "first", "second"}));
}

TEST(Journal, ErrorsSayWhatToDo) {
  const TemporaryFolder folder;
  MetricsLog full("/dev/full");
  const auto exhausted = thrown_by([&] { full.write({{"a", true}}); });
  EXPECT_EQ(exhausted.exit, Exit::kExhausted);
  EXPECT_EQ(exhausted.message,
            "cannot write /dev/full: No space left on device; free space there, or name a folder on another disk");
  spit(folder / "file", "");
  EXPECT_EQ(thrown_by([&] { MetricsLog log(folder / "file/m.jsonl"); }).exit, Exit::kUsage);
  EXPECT_EQ(thrown_by([&] { MetricsLog log(folder.path()); }).exit, Exit::kUsage);
}

// A limit on file sizes cuts a write short as a full disk does. In a process of its own: the limit stays.
TEST(JournalDeathTest, ALineThatDoesNotFitLeavesThoseBeforeItWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.jsonl";
  const auto write_past_the_limit = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{30, 30};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    MetricsLog log(path);
    log.write({{"attempt", int64_t{1}}});
    const auto thrown = thrown_by([&] { log.write({{"text", std::string(100, 'x')}}); });
    std::_Exit(thrown.exit == Exit::kExhausted ? 0 : 1);
  };
  EXPECT_EXIT(write_past_the_limit(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(slurp(path), "{\"attempt\":1}\n");
}

TEST(Journal, Decisions) {
  const TemporaryFolder folder;
  Decision d = loss_scale();
  d.details = {{"sigma", 0.42}, {"step", std::string("taken")}};
  DecisionLog(folder / "d.jsonl", Language::kEnglish).write(d);
  EXPECT_EQ(slurp(folder / "d.jsonl"),
            "{\"step\":18200,\"attempt\":18207,\"plugin\":\"amp_o2\",\"what\":\"loss_scale\","
            "\"cause\":\"gradient variance jumped (sigma 0.42)\",\"from\":8192,\"to\":4096,"
            "\"text_en\":\"loss_scale from 8192 to 4096: gradient variance jumped (sigma 0.42)\","
            "\"text_zh\":\"loss_scale 由 8192 改为 4096，原因：gradient variance jumped (sigma 0.42)\","
            "\"sigma\":0.42,\"details.step\":\"taken\"}\n");
}

TEST(Journal, DecisionsForPeople) {
  Decision d = loss_scale();
  d.cause = "sigma 0.42";
  EXPECT_EQ(DecisionLog::human(d, Language::kEnglish),
            "step 18200, amp_o2: loss_scale from 8192 to 4096: sigma 0.42");
  EXPECT_EQ(DecisionLog::human(d, Language::kChinese),
            "第 18200 步，amp_o2：loss_scale 由 8192 改为 4096，原因：sigma 0.42");
  d.text_en = "The scale was halved.";
  d.text_zh = "缩放系数减半。";
  EXPECT_EQ(DecisionLog::human(d, Language::kEnglish), "step 18200, amp_o2: The scale was halved.");
  EXPECT_EQ(DecisionLog::human(d, Language::kChinese), "第 18200 步，amp_o2：缩放系数减半。");
  Decision skip;
  skip.plugin = "loop";
  skip.what = "skip";
  skip.to = NAN;
  EXPECT_EQ(DecisionLog::human(skip, Language::kEnglish), "step 0, loop: skip to nan");
  EXPECT_EQ(DecisionLog::human(skip, Language::kChinese), "第 0 步，loop：skip 设为 nan");
}

TEST(Journal, DecisionsGoToTheLogInTheRunsLanguageAlsoWithoutAFile) {
  const TemporaryFolder folder;
  log::open(folder / "rank-0.log", 0, log::Level::kError);
  DecisionLog("", Language::kChinese).write(loss_scale());
  log::open("", 0, log::Level::kInfo);
  EXPECT_THAT(slurp(folder / "rank-0.log"), HasSubstr("第 18200 步，amp_o2：loss_scale 由 8192 改为 4096"));
}

TEST(Journal, ThreadsWriteWholeLines) {
  const TemporaryFolder folder;
  {
    MetricsLog log(folder / "m.jsonl");
    std::vector<std::thread> threads;
    for (int64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&log, t] {
        for (int64_t i = 0; i < 200; ++i) log.write({{"thread", t}, {"i", i}});
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream text(slurp(folder / "m.jsonl"));
  std::vector<int64_t> next(4);
  int lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["i"].get<int64_t>(), next[json["thread"].get<size_t>()]++);
  }
  EXPECT_EQ(lines, 800);
}

}  // namespace
}  // namespace sz
