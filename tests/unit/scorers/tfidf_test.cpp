#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "scorer_tfidf/tfidf.h"
#include "unit/scorers/graded_text.h"
#include "unit/scorers/shared_models.h"
#include "unit/scorers/spearman.h"

namespace sz::scorers {
namespace {

Tfidf counted(const std::vector<std::string>& corpus, TfidfOptions options = {}) {
  Tfidf scorer(splitter(), std::move(options));
  for (const std::string& document : corpus) scorer.add_document(document);
  scorer.finish_counting();
  return scorer;
}

double smoothed(double documents, double with_term) { return std::log((1 + documents) / (1 + with_term)) + 1; }

TEST(Tfidf, ByHandInEnglish) {
  const Tfidf scorer = counted({"the baker wrote", "the baker left", "the letter", "the letter came and went"});
  // Of four documents: the 4, baker 2 and letter 2 (nouns), wrote 1 (a verb), and 1.
  const double the = smoothed(4, 4), noun = smoothed(4, 2), once = smoothed(4, 1);
  EXPECT_EQ(the, 1.0);
  EXPECT_NEAR(scorer.score("The baker wrote the letter.").value, (2 * the + 2 * 1.2 * noun + once) / 5, 1e-12);
  EXPECT_NEAR(scorer.score("The baker wrote the letter and the baker wrote the letter").value,
              (4 * the + 4 * 1.2 * noun + 2 * once + once) / 11, 1e-12);
}

TEST(Tfidf, ByHandInChinese) {
  const Tfidf scorer = counted({"老师喜欢学生", "老师喜欢音乐", "学生喜欢音乐"});
  const double likes = smoothed(3, 3), teacher = smoothed(3, 2), music = smoothed(3, 2);
  EXPECT_NEAR(scorer.score("老师喜欢音乐").value, (1.2 * teacher + likes + 1.2 * music) / 3, 1e-12);
}

TEST(Tfidf, WeightsAreConfigurable) {
  TfidfOptions options;
  options.noun_weight = 2;
  options.verb_weight = 3;
  options.other_weight = 0.5;
  const Tfidf scorer(splitter(), options);  // nothing counted: every idf is 1
  EXPECT_NEAR(scorer.score("The baker wrote the letter").value, (0.5 + 2 + 3 + 0.5 + 2) / 5, 1e-12);
}

TEST(Tfidf, ATermInHalfOfTheDocumentsIsPositive) {
  const Tfidf scorer = counted({"apple", "apple", "pear", "pear"});
  EXPECT_NEAR(scorer.idf("apple"), std::log(5.0 / 3.0) + 1, 1e-12);
  EXPECT_NEAR(scorer.idf("never seen"), std::log(5.0) + 1, 1e-12);
  EXPECT_GE(counted({"apple", "apple"}).idf("apple"), 1.0);
}

TEST(Tfidf, OneCharacterTermsCountLikeOthers) {
  const Tfidf scorer = counted({"a b", "a", "人", "人 山"});
  EXPECT_NEAR(scorer.idf("a"), smoothed(4, 2), 1e-12);
  EXPECT_NEAR(scorer.idf("山"), smoothed(4, 1), 1e-12);
  EXPECT_GT(scorer.score("山").value, scorer.score("人").value);
}

TEST(Tfidf, DocumentsWithoutTermsScoreZero) {
  TfidfOptions options;
  options.stop_words = {"the", "of", "的", "了"};
  const Tfidf scorer = counted({"the end of the day", "今天的天气"}, options);
  for (const char* empty : {"", " \n\t ", "...!?", "😀🎉", "The of the", "的了", "\x01\x02"}) {
    EXPECT_EQ(scorer.score(empty).value, 0) << empty;
  }
  EXPECT_GT(scorer.score("the day").value, 0);
}

TEST(Tfidf, WithoutAStopListFrequentWordsAreLight) {
  const Tfidf scorer = counted({"the cat", "the dog", "the cow"});
  EXPECT_NEAR(scorer.score("the the the").value, 1.0, 1e-12);
}

TEST(Tfidf, NumbersAreOneTerm) {
  const Tfidf scorer = counted({"in 1984", "in 2001", "in 3,000.5"});
  EXPECT_NEAR(scorer.idf("#"), 1.0, 1e-12);
  EXPECT_EQ(scorer.score("7").value, scorer.score("31415926").value);
  EXPECT_EQ(scorer.score("１２３").value, scorer.score("123").value);
}

TEST(Tfidf, SlashesAndHyphensSeparate) {
  const Tfidf scorer = counted({"and or", "and/or", "and-or"});
  EXPECT_NEAR(scorer.idf("and"), 1.0, 1e-12);
  EXPECT_NEAR(scorer.idf("or"), 1.0, 1e-12);
}

TEST(Tfidf, AFewTermsMoreThanFitAreForgottenRarestFirst) {
  DocumentFrequencies frequencies(100);
  for (int i = 0; i < 5000; ++i) {
    frequencies.add({"common", "often" + std::to_string(i % 10), "rare" + std::to_string(i)});
  }
  EXPECT_LE(frequencies.terms(), 100u);
  EXPECT_EQ(frequencies.documents(), 5000u);
  EXPECT_GE(frequencies.count_of("common") + frequencies.pruned(), 5000u);
  EXPECT_LE(frequencies.count_of("common"), 5000u);
  EXPECT_LE(frequencies.count_of("rare1"), 1u);
}

TEST(IdfTable, IsReadFromAFileAndNamesTheFaultyLine) {
  const std::string path = testing::TempDir() + "idf_table_test.tsv";
  std::ofstream(path) << "# term, idf\nthe\t0\nbaker\t2.5\n老师\t3.25\n";
  Tfidf scorer(splitter(), {});
  scorer.use_table(IdfTable::read(path));
  EXPECT_EQ(scorer.idf("the"), 0.0);
  EXPECT_EQ(scorer.idf("老师"), 3.25);
  EXPECT_EQ(scorer.idf("unknown"), 3.25);
  EXPECT_NEAR(scorer.score("the baker").value, (0 + 1.2 * 2.5) / 2, 1e-12);

  std::ofstream(path) << "fine\t1\nbroken\t-1\n";
  try {
    IdfTable::read(path);
    ADD_FAILURE() << "a negative idf was taken";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(":2:"), std::string::npos) << e.what();
  }
  std::remove(path.c_str());
}

// scikit-learn's TfidfVectorizer(smooth_idf=True) over terms that both cut alike.
TEST(Tfidf, IdfIsThatOfScikitLearn) {
  if (std::system("python3 -c 'import sklearn' >/dev/null 2>&1") != 0) GTEST_SKIP() << "scikit-learn is not installed";
  const std::vector<std::string> corpus = {"red blue", "red green", "red yellow blue", "black"};
  const Tfidf scorer = counted(corpus);
  const std::string path = testing::TempDir() + "sklearn_idf.txt";
  const std::string program =
      "from sklearn.feature_extraction.text import TfidfVectorizer as T\n"
      "v = T(smooth_idf=True).fit(['red blue', 'red green', 'red yellow blue', 'black'])\n"
      "print(*['%s %.17g' % (t, i) for t, i in zip(v.get_feature_names_out(), v.idf_)], sep='\\n')\n";
  ASSERT_EQ(std::system(("python3 -c \"" + program + "\" >" + path).c_str()), 0);
  std::ifstream answer(path);
  int terms = 0;
  double idf = 0;
  for (std::string term; answer >> term >> idf; ++terms) EXPECT_NEAR(scorer.idf(term), idf, 1e-12) << term;
  EXPECT_EQ(terms, 5);
  std::remove(path.c_str());
}

template <size_t N, size_t M>
double correlation(const GradedText (&graded)[N], const char* const (&everyday)[M]) {
  static_assert(N >= 12);
  const Tfidf scorer = counted({everyday, everyday + M});
  std::vector<double> levels, scores;
  for (const GradedText& text : graded) {
    levels.push_back(text.level);
    scores.push_back(scorer.score(text.text).value);
  }
  return spearman(levels, scores);
}

TEST(Tfidf, RanksGradedTexts) {
  const double english = correlation(kGradedEnglish, kEverydayEnglish);
  const double chinese = correlation(kGradedChinese, kEverydayChinese);
  RecordProperty("english", std::to_string(english));
  RecordProperty("chinese", std::to_string(chinese));
  EXPECT_GE(english, 0.7);
  EXPECT_GE(chinese, 0.7);
}

TEST(Tfidf, IsDeterministic) {
  const Tfidf a = counted({"the red fox", "一只狐狸"}), b = counted({"the red fox", "一只狐狸"});
  for (const GradedText& text : kGradedEnglish) EXPECT_EQ(a.score(text.text).value, b.score(text.text).value);
}

}  // namespace
}  // namespace sz::scorers
