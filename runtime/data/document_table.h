// The table of a prepared data set's documents, as it stands in documents.bin.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sz {

// One record of documents.bin, little-endian, in the order of reading.
// A document's tokens are BOS, its text's tokens, EOS, without a gap in one shard.
struct DocumentRecord {
  uint64_t first_token;    // in its shard
  uint64_t tokens;         // with BOS and EOS: at least 2
  uint64_t masked_tokens;  // leading tokens whose prediction doesn't count: BOS and the prompt
  uint64_t offset;         // of the document in its file, in bytes
  uint64_t bytes;          // of its text
  uint32_t line;           // in its file, from 1
  uint32_t file;           // index into Manifest::files
  uint32_t shard;
  uint8_t language;        // index into language_tags()
  uint8_t split;           // Split
  uint8_t reserved[2];
};
static_assert(sizeof(DocumentRecord) == 56);

// "en", "zh", "other": what detect_language (base/text.h) tells apart.
const std::vector<std::string>& language_tags();
uint8_t language_index(const std::string& tag);

}  // namespace sz
