#include "data/tokenizer_training.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/rng.h"
#include "data/tokenizer.h"

namespace sz {
namespace {

// Longer lines make training slow; max_sentence_length below only has to be more than this, since SentencePiece
// leaves out longer lines without a word.
constexpr size_t kSentenceBytes = 4096;
// SentencePiece leaves out lines with its mark for unknown characters.
constexpr std::string_view kUnknownMark = "\xE2\x96\x85";
// Share of all characters that get a piece of their own, the others are bytes: SentencePiece's advice for Chinese.
constexpr double kCoverage = 0.9995;

class SentenceList : public sentencepiece::SentenceIterator {
 public:
  explicit SentenceList(const std::vector<std::string>& sentences) : sentences_(sentences) {}
  bool done() const override { return next_ >= sentences_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return sentences_[next_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& sentences_;
  size_t next_ = 0;
};

std::unordered_map<std::string, std::string> arguments(int64_t vocabulary) {
  return {
      {"model_type", "unigram"},
      {"vocab_size", std::to_string(vocabulary)},
      {"character_coverage", "1.0"},  // the rare ones are cut out before
      {"byte_fallback", "true"},
      // Exactly reversible: nothing is folded, no space is added or dropped, and what separates sentences in
      // training has its own pieces.
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", "false"},
      {"add_dummy_prefix", "false"},
      {"allow_whitespace_only_pieces", "true"},
      {"user_defined_symbols", "\n,\t"},
      {"pad_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "2"},
      {"eos_id", "3"},
      {"max_sentence_length", "1048576"},
      // Sums of floats are taken by thread: a fixed number gives the same model everywhere.
      {"num_threads", "2"},
      {"minloglevel", "2"},
  };
}

int64_t number_after(const std::string& message, std::string_view words) {
  const size_t at = message.find(words);
  int64_t number = -1;
  if (at != std::string::npos) {
    const char* begin = message.data() + at + words.size();
    std::from_chars(begin, message.data() + message.size(), number);
  }
  return number;
}

constexpr std::string_view kAtMost = "value <= ";
constexpr std::string_view kAtLeast = " vs ";
constexpr int kTries = 8;

template <class Visit>
void for_each_character(std::string_view text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    visit(text.substr(at, length));
    at += length;
  }
}

}  // namespace

TokenizerTraining::TokenizerTraining(int64_t corpus_bytes, int64_t sample_bytes, uint64_t seed)
    : keep_(corpus_bytes <= sample_bytes ? 1.0 : double(sample_bytes) / double(corpus_bytes)), seed_(seed) {}

void TokenizerTraining::add(std::string_view text) {
  while (!text.empty()) {
    // Looks no further than a sentence may reach: a line may be hundreds of megabytes long.
    const size_t separator = text.substr(0, kSentenceBytes).find_first_of("\n\t");
    const bool separated = separator != std::string_view::npos;
    const size_t length = separated ? separator : piece_length(text, kSentenceBytes);
    const std::string_view sentence = text.substr(0, length);
    const bool usable = !sentence.empty() && sentence.find(kUnknownMark) == std::string_view::npos;
    // Drawn by place, not by content: text that repeats itself would be left out, or kept, as a whole.
    if (usable && to_unit(static_cast<uint32_t>(mix(seed_, seen_++) >> 32)) < keep_) {
      sentences_.emplace_back(sentence);
    }
    text.remove_prefix(length + (separated ? 1 : 0));
  }
}

// The characters that get a piece of their own. A small vocabulary over many characters (Chinese has thousands) would
// hold little else: at most half of it goes to single characters. SentencePiece itself takes no share below 0.98.
std::unordered_set<std::string> TokenizerTraining::frequent_characters(int64_t vocabulary) const {
  std::unordered_map<std::string_view, int64_t> counts;
  int64_t all = 0;
  for (const std::string& sentence : sentences_) {
    for_each_character(sentence, [&](std::string_view character) {
      ++counts[character];
      ++all;
    });
  }
  std::vector<std::pair<int64_t, std::string_view>> sorted;
  for (const auto& [character, count] : counts) {
    sorted.emplace_back(-count, character);
  }
  std::sort(sorted.begin(), sorted.end());

  const auto room = static_cast<size_t>(std::max<int64_t>(1, (vocabulary - kReserved) / 2));
  std::unordered_set<std::string> frequent;
  int64_t covered = 0;
  for (const auto& [count, character] : sorted) {
    if (frequent.size() == room || double(covered) >= kCoverage * double(all)) {
      break;
    }
    frequent.emplace(character);
    covered -= count;
  }
  return frequent;
}

// Sentences end at characters that will be bytes: no piece can hold one.
std::vector<std::string> TokenizerTraining::cut_at_rare_characters(int64_t vocabulary) const {
  const std::unordered_set<std::string> frequent = frequent_characters(vocabulary);
  std::vector<std::string> cut;
  for (const std::string& sentence : sentences_) {
    std::string part;
    for_each_character(sentence, [&](std::string_view character) {
      if (frequent.contains(std::string(character))) {
        part += character;
      } else if (!part.empty()) {
        cut.push_back(std::move(part));
        part.clear();
      }
    });
    if (!part.empty()) {
      cut.push_back(std::move(part));
    }
  }
  return cut;
}

TokenizerTraining::Trained TokenizerTraining::try_to_train(int64_t vocabulary) const {
  const std::vector<std::string> sentences = cut_at_rare_characters(vocabulary);
  SentenceList list(sentences);
  Trained trained;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments(vocabulary), &list, &trained.model);
  if (!status.ok()) trained.fault = status.message();
  return trained;
}

// `most` is what SentencePiece allows for sentences cut for a larger vocabulary. A smaller one has room for fewer
// characters, which may leave less to learn from: only a vocabulary that could be trained is recommended. 0: none is.
int64_t TokenizerTraining::largest_vocabulary(int64_t most) const {
  for (int tries = 0; tries < kTries && most > 0; ++tries) {
    const Trained trained = try_to_train(most);
    if (trained.fault.empty()) return most;
    const int64_t less = number_after(trained.fault, kAtMost);
    most = less < most ? less : 0;
  }
  return 0;
}

void TokenizerTraining::refuse(int64_t vocabulary, const std::string& fault) const {
  const std::string key = "data.vocabulary = " + std::to_string(vocabulary);
  if (const int64_t most = number_after(fault, kAtMost); most > 0) {
    const std::string too_large = key + " is too large for this corpus";
    if (const int64_t largest = largest_vocabulary(most)) {
      throw Error(Exit::kData, too_large + "; at most " + std::to_string(largest));
    }
    throw Error(Exit::kData, too_large + ", which is too small to train a tokenizer on; add text, or name a .model " +
                                 "that was trained elsewhere: data.tokenizer");
  }
  if (const int64_t least = number_after(fault, kAtLeast); least > 0) {
    throw Error(Exit::kData, key + " is too small for this corpus; at least " + std::to_string(least));
  }
  throw Error(Exit::kData, key + ": the tokenizer can't be trained: " + fault);
}

std::string TokenizerTraining::train(int64_t vocabulary) const {
  if (sentences_.empty()) {
    throw Error(Exit::kData, "data.paths: no text to train a tokenizer on");
  }
  Trained trained = try_to_train(vocabulary);
  if (!trained.fault.empty()) {
    refuse(vocabulary, trained.fault);
  }
  return std::move(trained.model);
}

}  // namespace sz
