// Trains the tokenizer of a corpus.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace sz {

// Sentences that a SentencePiece unigram model is trained on: lines of the corpus, a sample of them if it is large.
class TokenizerTraining {
 public:
  // Of a corpus of about `corpus_bytes`, keeps about `sample_bytes`: training takes some 4 s a MB.
  // What is kept depends on the text and the seed alone.
  TokenizerTraining(int64_t corpus_bytes, int64_t sample_bytes, uint64_t seed);

  void add(std::string_view text);  // valid UTF-8

  // A serialised model of exactly `vocabulary` pieces (ids: 0 pad, 1 unk, 2 BOS, 3 EOS, line feed and tab, 256 bytes,
  // then what was learnt). The same model for the same text, whatever the machine.
  // Errors: Error(kData) saying which vocabulary sizes the text allows.
  std::string train(int64_t vocabulary) const;

  int64_t sentences() const { return static_cast<int64_t>(sentences_.size()); }

  static constexpr int64_t kSampleBytes = 8 << 20;
  static constexpr int64_t kReserved = 4 + 2 + 256;

 private:
  std::unordered_set<std::string> frequent_characters(int64_t vocabulary) const;
  std::vector<std::string> cut_at_rare_characters(int64_t vocabulary) const;
  struct Trained {
    std::string model, fault;  // one of them
  };
  Trained try_to_train(int64_t vocabulary) const;
  int64_t largest_vocabulary(int64_t most) const;
  [[noreturn]] void refuse(int64_t vocabulary, const std::string& fault) const;

  double keep_;
  uint64_t seed_;
  uint64_t seen_ = 0;  // sentences
  std::vector<std::string> sentences_;
};

}  // namespace sz
