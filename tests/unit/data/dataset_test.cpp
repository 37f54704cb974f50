#include "data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/text.h"
#include "data/prepare.h"
#include "data/source.h"
#include "unit/data/fixtures.h"

namespace sz {
namespace {

using test::TemporaryFolder;

constexpr Split kSplits[] = {Split::kTrain, Split::kValidation};

Prepared prepare_files(const TemporaryFolder& folder, const std::vector<std::string>& paths, double validation = 0.2) {
  PrepareOptions options;
  options.paths = paths;
  options.vocabulary = 330;
  options.validation = validation;
  options.cache = folder.path() + "/cache";
  options.progress = false;
  return prepare(options);
}

std::vector<std::string> texts_of(const std::vector<std::string>& paths) {
  DocumentReader reader(paths, ReadOptions{});
  std::vector<std::string> texts;
  for (Document document; reader.next(document);) {
    texts.push_back(document.text);
  }
  return texts;
}

class DatasetTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    path_ = folder_->write("a.txt", test::mixed_corpus(30) + "short\n\nр\n\nthree lines\nand 中文\n词😀\n");
    prepared_ = prepare_files(*folder_, {path_}).folder;
  }
  static void TearDownTestSuite() { delete folder_; }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::string path_, prepared_;
};

TEST_F(DatasetTest, EveryTokenIsPredictedOnce) {
  for (const int64_t context : {1, 2, 7, 64, 100000}) {
    const auto data = Dataset::open(prepared_, context);
    std::map<int64_t, std::vector<int64_t>> labels;  // by document
    std::map<int64_t, Split> side;
    SampleTokens sample;
    for (const Split split : kSplits) {
      for (int64_t i = 0; i < data->count(split); ++i) {
        const SampleInfo info = data->info(split, i);
        data->read(split, i, sample);
        ASSERT_EQ(int64_t(sample.ids.size()), info.length);
        ASSERT_LE(info.length, context);
        std::vector<int64_t>& so_far = labels[info.document];
        ASSERT_EQ(info.offset, int64_t(so_far.size()));
        ASSERT_EQ(sample.ids[0], so_far.empty() ? data->tokenizer().bos() : so_far.back());
        ASSERT_TRUE(std::equal(sample.ids.begin() + 1, sample.ids.end(), sample.labels.begin()));
        ASSERT_EQ(std::count(sample.mask.begin(), sample.mask.end(), 1.0f), info.label_tokens);
        ASSERT_EQ(info.label_tokens, info.length);
        so_far.insert(so_far.end(), sample.labels.begin(), sample.labels.end());
        ASSERT_EQ(side.emplace(info.document, split).first->second, split);
      }
    }
    const std::vector<std::string> texts = texts_of({path_});
    ASSERT_EQ(labels.size(), texts.size());
    for (auto& [document, ids] : labels) {
      ASSERT_EQ(ids.back(), data->tokenizer().eos());
      const std::string decoded = data->tokenizer().decode(std::vector<int32_t>(ids.begin(), ids.end()));
      EXPECT_EQ(decoded, texts[size_t(document)]);
    }
  }
}

TEST_F(DatasetTest, TextReadsBack) {
  const auto whole = Dataset::open(prepared_, 100000);
  const std::vector<std::string> texts = texts_of({path_});
  for (const Split split : kSplits) {
    for (int64_t i = 0; i < whole->count(split); ++i) {
      EXPECT_EQ(whole->text(split, i), texts[size_t(whole->info(split, i).document)]);
    }
  }
  // A character cut in two is left out; all else is there.
  const auto cut = Dataset::open(prepared_, 3);
  for (const Split split : kSplits) {
    for (int64_t i = 0; i < cut->count(split); ++i) {
      const std::string text = cut->text(split, i);
      EXPECT_FALSE(first_utf8_fault(text));
      EXPECT_NE(texts[size_t(cut->info(split, i).document)].find(text), std::string::npos);
    }
  }
}

TEST_F(DatasetTest, LanguagesAndOrigins) {
  const auto data = Dataset::open(prepared_, 32);
  const std::vector<std::string> texts = texts_of({path_});
  for (const Split split : kSplits) {
    std::map<std::string, int> samples;
    for (int64_t i = 0; i < data->count(split); ++i) {
      const SampleInfo info = data->info(split, i);
      const std::string tag = data->languages()[size_t(info.language)];
      EXPECT_EQ(tag, detect_language(texts[size_t(info.document)]));
      ++samples[tag];
    }
    EXPECT_GT(samples["en"], 0);
    EXPECT_GT(samples["zh"], 0);
  }
  EXPECT_EQ(data->documents(), 63);
  EXPECT_EQ(data->origin(1).file, path_);
  EXPECT_EQ(data->origin(1).line, 3);
  EXPECT_EQ(data->origin(62).bytes, int64_t(texts[62].size()));
}

TEST_F(DatasetTest, UnigramEntropy) {
  const auto data = Dataset::open(prepared_, 16);
  const auto other_context = Dataset::open(prepared_, 5);
  for (const std::string language : {"en", "zh", ""}) {
    std::map<int64_t, double> counts;
    double total = 0;
    SampleTokens sample;
    for (int64_t i = 0; i < data->count(Split::kTrain); ++i) {
      if (!language.empty() && data->languages()[size_t(data->info(Split::kTrain, i).language)] != language) {
        continue;
      }
      data->read(Split::kTrain, i, sample);
      for (const int64_t label : sample.labels) {
        counts[label] += 1;
        total += 1;
      }
    }
    double entropy = 0;
    for (const auto& [label, count] : counts) {
      entropy += count / total * std::log(total / count);
    }
    EXPECT_NEAR(data->unigram_entropy(Split::kTrain, language), entropy, 1e-9);
    EXPECT_EQ(data->label_tokens(Split::kTrain, language), int64_t(total));
    EXPECT_DOUBLE_EQ(other_context->unigram_entropy(Split::kTrain, language),
                     data->unigram_entropy(Split::kTrain, language));
  }
  EXPECT_EQ(data->unigram_entropy(Split::kTrain, "tlh"), 0);
}

TEST_F(DatasetTest, FingerprintFollowsTheSamples) {
  EXPECT_EQ(Dataset::open(prepared_, 16)->fingerprint(), Dataset::open(prepared_, 16)->fingerprint());
  EXPECT_NE(Dataset::open(prepared_, 16)->fingerprint(), Dataset::open(prepared_, 17)->fingerprint());
}

TEST(Dataset, PromptsAreMasked) {
  TemporaryFolder folder;
  std::string lines;
  RandomStream random(8);
  for (int i = 0; i < 40; ++i) {
    const std::string prompt = i % 2 ? test::english(random, 12) : test::chinese(random, 12);
    lines += "{\"prompt\": \"" + prompt + "\", \"response\": \"" + test::english(random, 6) + "\"}\n";
  }
  const Prepared prepared = prepare_files(folder, {folder.write("a.jsonl", lines)}, 0);
  DocumentReader reader({folder.path() + "/a.jsonl"}, ReadOptions{});
  std::vector<Document> documents;
  for (Document document; reader.next(document);) {
    documents.push_back(document);
  }
  for (const int64_t context : {4, 9, 1000}) {
    const auto data = Dataset::open(prepared.folder, context);
    std::map<int64_t, std::vector<int32_t>> counted;
    SampleTokens sample;
    for (int64_t i = 0; i < data->count(Split::kTrain); ++i) {
      const SampleInfo info = data->info(Split::kTrain, i);
      data->read(Split::kTrain, i, sample);
      ASSERT_GE(info.label_tokens, 1);
      ASSERT_EQ(std::count(sample.mask.begin(), sample.mask.end(), 1.0f), info.label_tokens);
      for (size_t t = 0; t < sample.mask.size(); ++t) {
        if (sample.mask[t] == 1.0f) {
          counted[info.document].push_back(int32_t(sample.labels[t]));
        }
      }
    }
    ASSERT_EQ(counted.size(), documents.size());
    int64_t labels = 0;
    for (auto& [document, ids] : counted) {
      labels += int64_t(ids.size());
      EXPECT_EQ(ids.back(), data->tokenizer().eos());
      const Document& read = documents[size_t(document)];
      EXPECT_EQ(data->tokenizer().decode(ids), read.text.substr(read.prompt_bytes));
    }
    EXPECT_EQ(labels, data->label_tokens(Split::kTrain));
  }
}

TEST(Dataset, NoValidationAndShortCorpus) {
  TemporaryFolder folder;
  const Prepared trained = prepare_files(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  PrepareOptions options;
  options.tokenizer = trained.folder + "/tokenizer.model";
  options.paths = {folder.write("short.txt", "明月")};
  options.cache = folder.path() + "/cache";
  options.progress = false;
  options.validation = 0.5;
  const auto data = Dataset::open(prepare(options).folder, 512);
  EXPECT_EQ(data->count(Split::kTrain), 1);
  EXPECT_EQ(data->count(Split::kValidation), 0);
  EXPECT_EQ(data->text(Split::kTrain, 0), "明月");
  EXPECT_EQ(data->unigram_entropy(Split::kValidation), 0);
}

TEST(Dataset, RefusesDamagedFolders) {
  TemporaryFolder folder;
  test::expect_error(Exit::kData, "not a prepared data set", [&] { Dataset::open(folder.path(), 8); });
  const Prepared prepared = prepare_files(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  std::fstream table(prepared.folder + "/documents.bin", std::ios::in | std::ios::out | std::ios::binary);
  table.seekp(8);
  table.write("\xFF\xFF\xFF\xFF", 4);  // the first document's token count
  table.close();
  test::expect_error(Exit::kData, "documents.bin: record 0 is damaged", [&] { Dataset::open(prepared.folder, 8); });
  std::filesystem::resize_file(prepared.folder + "/documents.bin", 56);
  test::expect_error(Exit::kData, "documents.bin: has 56 bytes", [&] { Dataset::open(prepared.folder, 8); });
}

}  // namespace
}  // namespace sz
