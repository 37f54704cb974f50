#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "scorer_embed/embed.h"
#include "scorer_embed/kmeans.h"
#include "scorer_embed/matrix.h"
#include "text/model_files.h"
#include "unit/scorers/spearman.h"
#include "unit/scorers/topic_text.h"

namespace sz::scorers {
namespace {

std::shared_ptr<const SentenceEncoder> encoder() {
  static const std::shared_ptr<const SentenceEncoder> loaded =
      SentenceEncoder::load(text::models_folder("") + "/sentence_encoder");
  return loaded;
}

template <size_t N>
std::vector<std::string> strings(const char* const (&texts)[N]) {
  return {texts, texts + N};
}

TEST(Matrix, ProductsAreThoseOfDoubleArithmetic) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const size_t depth = 37, columns = 64, n = 11;
  std::vector<float> weights(depth * columns), x(n * depth), out(n * columns);
  for (float& value : weights) value = uniform(random);
  for (float& value : x) value = uniform(random);
  const PackedMatrix matrix(weights, depth, columns);
  matrix.multiply(x.data(), depth, n, out.data(), columns);
  for (size_t i = 0; i < n; ++i) {
    std::vector<float> alone(columns);
    matrix.multiply(&x[i * depth], depth, 1, alone.data(), columns);
    for (size_t c = 0; c < columns; ++c) {
      double exact = 0;
      float fused = 0;
      for (size_t k = 0; k < depth; ++k) {
        exact += double(x[i * depth + k]) * double(weights[k * columns + c]);
        fused = std::fma(x[i * depth + k], weights[k * columns + c], fused);
      }
      EXPECT_NEAR(out[i * columns + c], exact, 1e-5);
      EXPECT_EQ(out[i * columns + c], fused);
      EXPECT_EQ(out[i * columns + c], alone[c]);
    }
  }
}

// Cosines that the package's own Python code gives for these pairs.
TEST(Encoder, AgreesWithItsReference) {
  const auto cosine = [](const char* a, const char* b) { return dot(encoder()->encode(a), encoder()->encode(b)); };
  EXPECT_NEAR(cosine("The cat sits on the window sill.", "一只猫坐在窗台上。"), 0.84191597, 1e-5);
  EXPECT_NEAR(cosine("Stock markets fell sharply on Monday.", "周一股市大幅下跌。"), 0.74606144, 1e-5);
  EXPECT_NEAR(cosine("The cat sits on the window sill.", "Stock markets fell sharply on Monday."), 0.045992315, 1e-5);
}

TEST(Encoder, VectorsHaveUnitLength) {
  for (const char* text : {"a", "一", "One sentence.", "12345", "😀"}) {
    const Vector vector = encoder()->encode(text);
    ASSERT_EQ(vector.size(), SentenceEncoder::kSize) << text;
    EXPECT_NEAR(dot(vector, vector), 1, 1e-5) << text;
  }
  EXPECT_TRUE(encoder()->encode("").empty());
  EXPECT_TRUE(encoder()->encode(" \n\t ").empty());
}

TEST(Encoder, LongTextsAreSplitAndPooled) {
  std::string topic, mixed;
  for (int i = 0; i < 400; ++i) topic += "Boil the potatoes and mash them with warm milk. ";
  ASSERT_GT(encoder()->tokens(topic).size(), 4 * SentenceEncoder::kTokens);
  const Vector whole = encoder()->encode(topic);
  const Vector one = encoder()->encode("Boil the potatoes and mash them with warm milk.");
  EXPECT_NEAR(dot(whole, whole), 1, 1e-5);
  EXPECT_GT(dot(whole, one), 0.6);
}

double topic_auc(const std::vector<std::string>& concepts, const std::vector<std::string>& on,
                 const std::vector<std::string>& off) {
  EmbedScorer scorer(encoder(), Direction::kFarIsHard);
  scorer.set_concepts(concepts);
  std::vector<double> far, near;
  for (const std::string& text : on) near.push_back(scorer.score(text).value);
  for (const std::string& text : off) far.push_back(scorer.score(text).value);
  return auc(far, near);
}

TEST(Embed, TellsOnTopicFromOffTopic) {
  const auto english = strings(kConceptsEnglish), chinese = strings(kConceptsChinese);
  const auto on_en = strings(kOnTopicEnglish), off_en = strings(kOffTopicEnglish);
  const auto on_zh = strings(kOnTopicChinese), off_zh = strings(kOffTopicChinese);
  const double results[] = {topic_auc(english, on_en, off_en), topic_auc(chinese, on_zh, off_zh),
                            topic_auc(english, on_zh, off_zh), topic_auc(chinese, on_en, off_en)};
  const char* const names[] = {"english", "chinese", "chinese_texts_by_english_concepts",
                               "english_texts_by_chinese_concepts"};
  for (size_t i = 0; i < 4; ++i) {
    RecordProperty(names[i], std::to_string(results[i]));
    EXPECT_GE(results[i], 0.9) << names[i];
  }
}

TEST(Embed, DirectionTurnsTheOrder) {
  EmbedScorer far(encoder(), Direction::kFarIsHard), near(encoder(), Direction::kNearIsHard);
  far.set_concepts(strings(kConceptsEnglish));
  near.set_concepts(strings(kConceptsEnglish));
  const double on = far.score(kOnTopicEnglish[0]).value, off = far.score(kOffTopicEnglish[0]).value;
  EXPECT_LT(on, off);
  EXPECT_NEAR(near.score(kOnTopicEnglish[0]).value, 2 - on, 1e-12);
  EXPECT_EQ(far.score("").value, 0);
  EXPECT_EQ(near.score(" ").value, 0);
}

TEST(Embed, CentresOfACorpusStandInForConcepts) {
  std::vector<double> on, off;
  EmbedScorer scorer(encoder(), Direction::kFarIsHard);
  for (size_t i = 0; i < 8; ++i) scorer.add_document(kOnTopicEnglish[i]);
  scorer.find_centres(3, 7);
  EXPECT_EQ(scorer.concepts(), 3u);
  for (size_t i = 8; i < 12; ++i) on.push_back(scorer.score(kOnTopicEnglish[i]).value);
  for (const char* text : kOffTopicEnglish) off.push_back(scorer.score(text).value);
  EXPECT_GE(auc(off, on), 0.9);
}

TEST(Embed, SamplesACorpusOfAnySizeEvenly) {
  EmbedScorer scorer(encoder(), Direction::kFarIsHard);
  for (int i = 0; i < 2500; ++i) scorer.add_document(i % 2 ? "a" : "b");
  scorer.find_centres(8, 1);
  EXPECT_GE(scorer.concepts(), 1u);
  EXPECT_LE(scorer.concepts(), 2u);
}

TEST(Kmeans, FindsSeparateGroupsAndIsDeterministic) {
  std::vector<Vector> vectors;
  for (int i = 0; i < 30; ++i) {
    Vector vector(3, 0.0f);
    vector[size_t(i % 3)] = 1;
    vectors.push_back(vector);
  }
  const auto centres = cluster_centres(vectors, 3, 5);
  ASSERT_EQ(centres.size(), 3u);
  for (const Vector& vector : vectors) {
    double best = 0;
    for (const Vector& centre : centres) best = std::max(best, dot(vector, centre));
    EXPECT_NEAR(best, 1, 1e-6);
  }
  EXPECT_EQ(centres, cluster_centres(vectors, 3, 5));
  EXPECT_TRUE(cluster_centres({}, 3, 5).empty());
}

TEST(Embed, ThreadsGiveTheSameScores) {
  EmbedScorer scorer(encoder(), Direction::kFarIsHard);
  scorer.set_concepts(strings(kConceptsEnglish));
  const auto texts = strings(kOffTopicChinese);
  std::vector<double> alone, together(texts.size());
  for (const std::string& text : texts) alone.push_back(scorer.score(text).value);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = t; i < texts.size(); i += 3) together[i] = scorer.score(texts[i]).value;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alone, together);
}

}  // namespace
}  // namespace sz::scorers
