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
