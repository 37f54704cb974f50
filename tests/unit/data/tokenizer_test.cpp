#include "data/tokenizer.h"

#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <regex>

#include "base/text.h"
#include "data/tokenizer_training.h"
#include "unit/data/fixtures.h"

namespace sz {
namespace {

using test::expect_error;

std::string train(const std::string& text, int64_t vocabulary) {
  TokenizerTraining training(static_cast<int64_t>(text.size()), TokenizerTraining::kSampleBytes, 1);
  training.add(text);
  return training.train(vocabulary);
}

const Tokenizer& mixed() {
  static const Tokenizer tokenizer = Tokenizer::from_bytes(train(test::mixed_corpus(60), 360), "test");
  return tokenizer;
}

// A model as others make them: normalising, a space before every text, no byte fallback, other control ids.
std::string foreign_model(const std::string& bos_id, const std::string& eos_id) {
  class Lines : public sentencepiece::SentenceIterator {
   public:
    bool done() const override { return line_ == 50; }
    void Next() override { text_ = test::english(random_, 8 + ++line_ % 3); }
    const std::string& value() const override { return text_; }
    sentencepiece::util::Status status() const override { return {}; }

   private:
    RandomStream random_{3};
    int line_ = 0;
    std::string text_ = "the river";
  } lines;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      {{"vocab_size", "45"}, {"bos_id", bos_id}, {"eos_id", eos_id}, {"minloglevel", "2"}}, &lines, &model);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return model;
}

TEST(Tokenizer, RoundTripIsExact) {
  const std::vector<std::string> texts = {
      "", "a", " ", "   ", "\n", "\n\n\n", "\t", "\r\n\r", " leading and trailing ", "two  spaces   three",
      "the river carries small boats.", "春天河水，小船。", "全角：ＡＢＣ，１２３！？「」…—", "中文 and English 混合\n第二行",
      "literal \xE2\x96\x81 mark \xE2\x96\x81\xE2\x96\x81", "\xE2\x96\x85", "\xEF\xBF\xBD", "e\xCC\x81 \xC3\xA9 ﬁ ①",
      "😀👨‍👩‍👧 \xF4\x8F\xBF\xBF", "<s></s><unk><0x41> ⁇ ", "\x01\x02\x7F", "\xC2\xA0\xE3\x80\x80\xE2\x80\x8B",
      "ру́сский язык العربية ไทย"};
  for (const std::string& text : texts) {
    EXPECT_EQ(mixed().decode(mixed().encode(text)), text);
  }
}

TEST(Tokenizer, RoundTripOfRandomCodePoints) {
  RandomStream random(11);
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      const uint64_t range = random.below(4);
      const uint64_t most = range == 0 ? 0x7F : range == 1 ? 0x3000 : range == 2 ? 0xFFFF : 0x10FFFF;
      append_utf8(text, static_cast<char32_t>(1 + random.below(most)));
    }
    EXPECT_EQ(mixed().decode(mixed().encode(text)), text);
  }
}

TEST(Tokenizer, LearnsBothLanguages) {
  RandomStream random(99);
  const std::string english = test::english(random, 40), chinese = test::chinese(random, 40);
  EXPECT_LT(mixed().encode(english).size(), english.size() / 2);
  EXPECT_LT(mixed().encode(chinese).size(), chinese.size() / 4);
  EXPECT_EQ(mixed().vocabulary(), 360);
  EXPECT_EQ(mixed().pad(), 0);
  EXPECT_EQ(mixed().unk(), 1);
  EXPECT_EQ(mixed().bos(), 2);
  EXPECT_EQ(mixed().eos(), 3);
}

TEST(Tokenizer, ControlTokensDecodeToNothing) {
  std::vector<int32_t> ids = {mixed().bos()};
  mixed().encode("河水 flows", ids);
  ids.push_back(mixed().eos());
  EXPECT_EQ(mixed().decode(ids), "河水 flows");
}

TEST(Tokenizer, TrainingIsDeterministic) {
  EXPECT_EQ(train(test::mixed_corpus(60), 360), mixed().bytes());
  EXPECT_NE(train(test::mixed_corpus(60, 2), 360), mixed().bytes());
}

TEST(Tokenizer, LongLinesAreLearntFrom) {
  std::string line;
  for (RandomStream random(5); line.size() < 20000;) {
    line += test::english(random, 20) + " ";
  }
  const Tokenizer tokenizer = Tokenizer::from_bytes(train(line, 300), "test");
  EXPECT_LT(tokenizer.encode(line).size(), line.size() / 3);
}

TEST(Tokenizer, HugeTextIsEncodedInPieces) {
  RandomStream random(6);
  std::string text;
  while (text.size() < 5 * Tokenizer::kPieceBytes) {
    text += random.below(2) ? test::english(random, 30) : test::chinese(random, 30);
    text += random.below(50) ? "" : "\n";
  }
  size_t pieces = 0, most = 0;
  std::string decoded;
  mixed().encode(text, [&](std::span<const int32_t> ids) {
    decoded += mixed().decode(ids);
    most = std::max(most, mixed().decode(ids).size());
    ++pieces;
  });
  EXPECT_GE(pieces, 5u);
  EXPECT_LE(most, Tokenizer::kPieceBytes);
  EXPECT_TRUE(decoded == text);
}

TEST(Tokenizer, PiecesAreCutBetweenCharacters) {
  EXPECT_EQ(piece_length("one\ntwo three", 8), 4u);
  EXPECT_EQ(piece_length("one two three", 8), 7u);
  EXPECT_EQ(piece_length("春天河水", 8), 6u);
  EXPECT_EQ(piece_length("short", 8), 5u);
  EXPECT_EQ(piece_length(" abcdefghij", 8), 8u);
}

TEST(Tokenizer, TrimLeavesWholeCharacters) {
  const std::string text = "春a😀";
  for (size_t begin = 0; begin <= text.size(); ++begin) {
    for (size_t end = begin; end <= text.size(); ++end) {
      const std::string trimmed = trim_to_utf8(text.substr(begin, end - begin));
      EXPECT_FALSE(first_utf8_fault(trimmed)) << begin << " " << end;
      EXPECT_NE(text.find(trimmed), std::string::npos);
    }
  }
  EXPECT_EQ(trim_to_utf8(text), text);
  EXPECT_EQ(trim_to_utf8(text.substr(1)), "a😀");
  EXPECT_EQ(trim_to_utf8(text.substr(0, 7)), "春a");
}

TEST(Tokenizer, VocabularyTooLargeSaysTheMost) {
  const std::string text = test::mixed_corpus(20);
  std::string message;
  try {
    train(text, 50000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kData);
    message = error.what();
  }
  const std::string words = "data.vocabulary = 50000 is too large for this corpus; at most ";
  ASSERT_EQ(message.rfind(words, 0), 0u) << message;
  const int64_t most = std::stoll(message.substr(words.size()));
  EXPECT_EQ(Tokenizer::from_bytes(train(text, most), "test").vocabulary(), most);
}

// The most that is named can be had, also for texts that allow less the less is asked for.
TEST(Tokenizer, TheMostForATinyTextIsNoGuess) {
  const std::regex at_most(".* too large for this corpus; at most (\\d+)");
  int named = 0;
  for (int documents = 1; documents <= 8; ++documents) {
    const std::string text = test::mixed_corpus(documents);
    std::string message;
    try {
      train(text, 50000);
      FAIL() << documents;
    } catch (const Error& error) {
      message = error.what();
    }
    std::smatch found;
    if (!std::regex_match(message, found, at_most)) {
      EXPECT_NE(message.find("too small to train a tokenizer on"), std::string::npos) << message;
      continue;
    }
    ++named;
    const int64_t most = std::stoll(found[1]);
    EXPECT_EQ(Tokenizer::from_bytes(train(text, most), "test").vocabulary(), most) << documents;
  }
  EXPECT_GT(named, 0);
}

TEST(Tokenizer, VocabularyTooSmallSaysTheLeast) {
  expect_error(Exit::kData, "data.vocabulary = 100 is too small for this corpus; at least 2",
               [] { train(test::mixed_corpus(20), 100); });
}

TEST(Tokenizer, ManyCharactersLeaveRoomForWords) {
  // 3,000 different characters do not fit a vocabulary of 600: the rare ones are bytes, and nothing fails.
  std::string text = test::mixed_corpus(60);
  for (char32_t c = 0x4E00; c < 0x4E00 + 3000; ++c) {
    append_utf8(text, c);
    text += c % 20 == 0 ? "\n" : "";
  }
  const Tokenizer tokenizer = Tokenizer::from_bytes(train(text, 600), "test");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST(Tokenizer, LargeCorpusIsSampled) {
  const std::string text = test::mixed_corpus(400);
  const auto bytes = static_cast<int64_t>(text.size());
  TokenizerTraining all(bytes, bytes, 1), half(bytes, bytes / 2, 1);
  all.add(text);
  half.add(text);
  EXPECT_EQ(all.sentences(), 800);
  EXPECT_NEAR(double(half.sentences()), 400, 71);  // 5 sigma
}

TEST(TokenizerTraining, TextThatRepeatsItselfIsSampledToo) {
  std::string line;
  for (int i = 0; i < 20; ++i) line += "a small river 春天来了。";
  for (int seed = 0; seed < 5; ++seed) {
    TokenizerTraining training(int64_t(line.size()) * 1000, int64_t(line.size()) * 100, uint64_t(seed));
    for (int i = 0; i < 1000; ++i) training.add(line);
    EXPECT_NEAR(double(training.sentences()), 100, 48) << seed;  // 5 sigma
  }
}

TEST(Tokenizer, NoText) {
  expect_error(Exit::kData, "no text", [] { train("\n\t\n", 300); });
}

TEST(Tokenizer, GivenModel) {
  const Tokenizer tokenizer = Tokenizer::from_bytes(foreign_model("1", "2"), "test");
  std::vector<int32_t> ids = {tokenizer.bos()};
  tokenizer.encode("the river carries small boats", ids);
  EXPECT_EQ(tokenizer.decode(ids), "the river carries small boats");
  EXPECT_EQ(tokenizer.decode(std::span(ids).subspan(1)), " the river carries small boats");
  tokenizer.encode("春\xE2\x96\x81", ids);  // unknown to it, but no reason to fail
  EXPECT_EQ(tokenizer.bos(), 1);
  EXPECT_EQ(tokenizer.eos(), 2);
}

TEST(Tokenizer, GivenModelWithOneControlToken) {
  const Tokenizer tokenizer = Tokenizer::from_bytes(foreign_model("-1", "1"), "test");
  EXPECT_EQ(tokenizer.bos(), 1);
  EXPECT_EQ(tokenizer.eos(), 1);
  expect_error(Exit::kData, "neither a BOS nor an EOS", [] { Tokenizer::from_bytes(foreign_model("-1", "-1"), "m"); });
}

TEST(Tokenizer, RefusesWhatIsNoModel) {
  test::TemporaryFolder folder;
  const std::string path = folder.write("t.model", "not a model");
  expect_error(Exit::kData, "t.model: not a SentencePiece model", [&] { Tokenizer::load(path); });
  expect_error(Exit::kData, "not a SentencePiece model", [] { Tokenizer::from_bytes("", "empty"); });
  expect_error(Exit::kUsage, "missing.model", [&] { Tokenizer::load(folder.path() + "/missing.model"); });
}

}  // namespace
}  // namespace sz
