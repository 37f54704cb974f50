#include "data/corpus_writer.h"

#include "base/error.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/split.h"

namespace sz {
namespace {

// A document's language is that of its first part: enough to tell, and a huge one takes no longer.
constexpr size_t kLanguageBytes = 4096;

uint8_t language_of(std::string_view text) {
  return language_index(detect_language(trim_to_utf8(std::string(text.substr(0, kLanguageBytes)))));
}

}  // namespace

const std::vector<std::string>& language_tags() {
  static const std::vector<std::string> tags = {"en", "zh", "other"};
  return tags;
}

uint8_t language_index(const std::string& tag) {
  const std::vector<std::string>& tags = language_tags();
  for (size_t i = 0; i < tags.size(); ++i) {
    if (tags[i] == tag) {
      return static_cast<uint8_t>(i);
    }
  }
  SZ_ASSERT(!"a language tag of language_tags()");
  return 0;
}

CorpusWriter::CorpusWriter(const std::string& folder, const Tokenizer& tokenizer, uint64_t seed, int64_t shard_bytes)
    : folder_(folder), tokenizer_(tokenizer), seed_(seed), shards_(folder, tokenizer.vocabulary(), shard_bytes) {
  fingerprint_.update(tokenizer.bytes());
}

void CorpusWriter::append(std::span<const int32_t> ids) {
  shards_.append(ids);
  fingerprint_.update(ids.data(), ids.size_bytes());
  written_ += ids.size();
}

void CorpusWriter::append(std::string_view part, std::string_view text, size_t& decoded, bool& exact) {
  tokenizer_.encode(part, [&](std::span<const int32_t> ids) {
    const std::string back = tokenizer_.decode(ids);
    exact = exact && text.substr(decoded, back.size()) == back;
    decoded = std::min(text.size(), decoded + back.size());
    append(ids);
  });
}

void CorpusWriter::add(const Document& document) {
  DocumentRecord record{};
  record.offset = static_cast<uint64_t>(document.offset);
  record.bytes = document.text.size();
  record.line = static_cast<uint32_t>(document.line);
  record.file = static_cast<uint32_t>(document.file);
  record.language = language_of(document.text);
  shards_.begin(record);

  const std::string_view text = document.text;
  const int32_t bos = tokenizer_.bos(), eos = tokenizer_.eos();
  bool exact = true;
  size_t decoded = 0;
  written_ = 0;
  append(std::span(&bos, 1));
  append(text.substr(0, document.prompt_bytes), text, decoded, exact);
  record.masked_tokens = written_;
  append(text.substr(document.prompt_bytes), text, decoded, exact);
  append(std::span(&eos, 1));
  record.tokens = written_;

  inexact_ += exact && decoded == text.size() ? 0 : 1;
  records_.push_back(record);
  hashes_.push_back(mix(seed_, xxh3_64(text)));
}

void CorpusWriter::count(const DocumentRecord& record, PrepareReport& report) const {
  LanguageReport& language = report.languages.at(record.language);
  const auto bytes = static_cast<int64_t>(record.bytes), tokens = static_cast<int64_t>(record.tokens) - 2;
  ++language.documents;
  language.validation_documents += static_cast<Split>(record.split) == Split::kValidation ? 1 : 0;
  language.bytes += bytes;
  language.tokens += tokens;
  report.bytes += bytes;
  report.tokens += tokens;
}

void CorpusWriter::finish(double validation, Manifest& manifest) {
  shards_.finish();
  std::vector<uint8_t> languages;
  for (const DocumentRecord& record : records_) {
    languages.push_back(record.language);
  }
  const std::vector<Split> split = split_documents(hashes_, languages, validation);

  FileWriter table(folder_ + "/documents.bin");
  for (size_t i = 0; i < records_.size(); ++i) {
    DocumentRecord& record = records_[i];
    record.split = static_cast<uint8_t>(split[i]);
    table.write(&record, sizeof record);
    count(record, manifest.report);
    const uint64_t facts[] = {record.tokens, record.masked_tokens, record.language, record.split};
    fingerprint_.update(facts, sizeof facts);
  }
  table.finish();

  manifest.report.inexact_documents = inexact_;
  manifest.vocabulary = tokenizer_.vocabulary();
  manifest.shards = shards_.shards();
  manifest.fingerprint = fingerprint_.hex_128();
}

}  // namespace sz
