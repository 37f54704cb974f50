// The three scorers through the binary interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/app/scoring_run.h"

namespace sz {
namespace {

using testing::HasSubstr;

constexpr const char* kAll =
    "[plugins.scorer_tfidf]\nenabled = true\n[plugins.scorer_syntax]\nenabled = true\n"
    "[plugins.scorer_embed]\nenabled = true\ncentres = 3\n";

void fit(const PluginScorer& scorer, const std::vector<ScoredText>& corpus) {
  size_t next = 0;
  scorer.fit([&](ScoredText& text) {
    if (next == corpus.size()) return false;
    text = corpus[next++];
    return true;
  });
}

TEST(ScorerPlugins, ABatchGivesWhatSinglesGiveAndNamesTheRoute) {
  ScoringRun run(kAll);
  run.start();
  const std::vector<ScoredText> texts = {{"The baker opened the shop before sunrise.", "en"},
                                         {"老师在教室里给学生讲故事。", "zh"},
                                         {"请联系user@example.com，谢谢 you very much", nullptr},
                                         {"", nullptr},
                                         {"Это предложение.", "other"},
                                         {"😀", nullptr}};
  ASSERT_EQ(run.host.scorers().size(), 3u);
  for (const PluginScorer& scorer : run.host.scorers()) {
    fit(scorer, texts);
    std::vector<double> together(texts.size());
    std::vector<uint32_t> routes(texts.size());
    scorer.score(texts, together, routes);
    for (size_t i = 0; i < texts.size(); ++i) {
      double alone = 0;
      uint32_t route = 0;
      scorer.score({&texts[i], 1}, {&alone, 1}, {&route, 1});
      EXPECT_NEAR(alone, together[i], 1e-5) << scorer.name() << " " << texts[i].text;
      EXPECT_EQ(route, routes[i]);
    }
    EXPECT_EQ(scorer.routes()[routes[0]], "english") << scorer.name();
    EXPECT_EQ(scorer.routes()[routes[1]], "chinese") << scorer.name();
    EXPECT_EQ(scorer.routes()[routes[3]], "empty") << scorer.name();
    EXPECT_GT(together[0], 0);
    EXPECT_GT(together[1], 0);
    EXPECT_EQ(together[3], 0);
  }
}

TEST(ScorerPlugins, AMissingModelNamesTheCommandAndTheOthersWork) {
  for (const char* missing : {"scorer_tfidf", "scorer_syntax", "scorer_embed"}) {
    ScoringRun run(std::string("[plugins.") + missing + "]\nenabled = true\nmodels = \"/nowhere\"\n");
    test::expect_error(Exit::kPlugin, "./scripts/setup.sh", [&] { run.start(); });
  }
  ScoringRun others("[plugins.scorer_tfidf]\nenabled = true\n[plugins.scorer_embed]\nenabled = true\n");
  EXPECT_EQ(others.start().host.scorers().size(), 2u);
}

// scorer_syntax as it is built where no parser was found.
TEST(ScorerPlugins, ABuildWithoutParsersNamesTheCommandAndTheOthersWork) {
  const std::string enabled = "[plugins.scorer_syntax]\nenabled = true\n";
  ScoringRun without(enabled, SZ_PLUGINS_WITHOUT_PARSERS);
  test::expect_error(Exit::kPlugin, "link-grammar was not there when this was built: run ./scripts/setup.sh",
                     [&] { without.start(); });
  ScoringRun with_model(enabled + "english_model = \"english.udpipe\"\n", SZ_PLUGINS_WITHOUT_PARSERS);
  test::expect_error(Exit::kPlugin, "UDPipe was not there when this was built: run ./scripts/setup.sh",
                     [&] { with_model.start(); });
  ScoringRun others(std::string("[plugins.scorer_syntax]\npath = \"" SZ_PLUGINS_WITHOUT_PARSERS) +
                    "/scorer_syntax.so\"\n[plugins.scorer_tfidf]\nenabled = true\n" +
                    "[plugins.scorer_embed]\nenabled = true\n");
  const std::vector<ScoredText> texts = {{"The baker opened the shop.", "en"}, {"老师给学生讲故事。", "zh"}};
  ASSERT_EQ(others.start().host.scorers().size(), 2u);
  for (const PluginScorer& scorer : others.host.scorers()) {
    std::vector<double> scores(2);
    std::vector<uint32_t> routes(2);
    fit(scorer, texts);
    scorer.score(texts, scores, routes);
    EXPECT_EQ(scorer.routes()[routes[0]], "english") << scorer.name();
    EXPECT_TRUE(std::isfinite(scores[0]) && std::isfinite(scores[1])) << scorer.name();
  }
}

std::vector<double> syntax_scores(const std::string& keys, const std::vector<ScoredText>& texts,
                                  std::vector<std::string>& names) {
  ScoringRun run("[plugins.scorer_syntax]\nenabled = true\n" + keys);
  const PluginScorer scorer = run.start().host.scorers().at(0);
  std::vector<double> scores(texts.size());
  std::vector<uint32_t> routes(texts.size());
  scorer.score(texts, scores, routes);
  for (const uint32_t route : routes) names.push_back(scorer.routes()[route]);
  return scores;
}

// That the model knows another language's words doesn't matter here: it gives every sentence a tree.
TEST(ScorerPlugins, AUdpipeModelByPathParsesEitherLanguage) {
  const std::vector<ScoredText> texts = {{"The man that you met yesterday is a teacher.", "en"},
                                         {"你昨天见到的那个人是老师。", "zh"}};
  const std::string model = "_model = \"" SZ_MODELS "/chinese.udpipe\"\n";
  std::vector<std::string> routes;
  const std::vector<double> by_path = syntax_scores("english" + model + "chinese" + model, texts, routes);
  EXPECT_THAT(routes, testing::ElementsAre("english", "chinese"));
  const std::vector<double> usual = syntax_scores("", texts, routes);
  EXPECT_GT(by_path[0], 1);
  EXPECT_NE(by_path[0], usual[0]);  // link-grammar's tree
  EXPECT_EQ(by_path[1], usual[1]);
  ScoringRun missing("[plugins.scorer_syntax]\nenabled = true\nenglish_model = \"/nowhere/some.udpipe\"\n");
  test::expect_error(Exit::kPlugin, "/nowhere/some.udpipe", [&] { missing.start(); });
}

TEST(ScorerPlugins, ConceptsAndDirectionAreConfigured) {
  ScoringRun run("[plugins.scorer_embed]\nenabled = true\nconcepts = [\"cooking a meal\"]\ndirection = \"near\"\n");
  const PluginScorer scorer = run.start().host.scorers().at(0);
  const std::vector<ScoredText> texts = {{"She fried onions for dinner.", "en"}, {"法院驳回了诉讼。", "zh"}};
  std::vector<double> scores(2);
  std::vector<uint32_t> routes(2);
  fit(scorer, texts);
  scorer.score(texts, scores, routes);
  EXPECT_GT(scores[0], scores[1]);
}

TEST(ScorerPlugins, AnIdfTableIsRead) {
  const test::TemporaryFolder folder;
  const std::string table = folder.write("idf.tsv", "baker\t2.5\nthe\t0.5\n");
  ScoringRun run("[plugins.scorer_tfidf]\nenabled = true\nnoun_weight = 2.0\nidf_table = \"" + table + "\"\n");
  const PluginScorer scorer = run.start().host.scorers().at(0);
  const std::vector<ScoredText> texts = {{"the baker", "en"}};
  std::vector<double> scores(1);
  std::vector<uint32_t> routes(1);
  scorer.score(texts, scores, routes);
  EXPECT_NEAR(scores[0], (0.5 + 2 * 2.5) / 2, 1e-12);

  ScoringRun broken("[plugins.scorer_tfidf]\nenabled = true\nidf_table = \"" + folder.path() + "/none\"\n");
  test::expect_error(Exit::kPlugin, "idf_table", [&] { broken.start(); });
}

}  // namespace
}  // namespace sz
