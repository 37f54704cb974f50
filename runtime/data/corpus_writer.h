// Encodes documents into the folder of a data set being prepared.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "data/document_table.h"
#include "data/manifest.h"
#include "data/shards.h"
#include "data/source.h"
#include "data/tokenizer.h"

namespace sz {

// Thread: one at a time. Errors: base/files.h's.
class CorpusWriter {
 public:
  // `tokenizer` is borrowed.
  CorpusWriter(const std::string& folder, const Tokenizer& tokenizer, uint64_t seed, int64_t shard_bytes);

  void add(const Document& document);
  // Splits, writes the table of documents and fills the manifest's counts, shards and fingerprint.
  void finish(double validation, Manifest& manifest);

 private:
  // Appends the tokens of a part of a document; what they decode to must stand at `decoded` bytes of its text.
  void append(std::string_view part, std::string_view text, size_t& decoded, bool& exact);
  void append(std::span<const int32_t> ids);
  void count(const DocumentRecord& record, PrepareReport& report) const;

  std::string folder_;
  const Tokenizer& tokenizer_;
  uint64_t seed_;
  ShardWriter shards_;
  std::vector<DocumentRecord> records_;
  std::vector<uint64_t> hashes_;  // a document's text and the seed
  Xxh3 fingerprint_;
  uint64_t written_ = 0;  // tokens of the document at hand
  int64_t inexact_ = 0;
};

}  // namespace sz
