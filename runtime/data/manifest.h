// manifest.json of a prepared data set: what it was made of and what came out.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sz {

struct LanguageReport {
  int64_t documents = 0, validation_documents = 0;
  int64_t bytes = 0;   // of text
  int64_t tokens = 0;  // without BOS and EOS
};

struct PrepareReport {
  int64_t files = 0, skipped_files = 0;  // read; of other extensions in the folders given
  int64_t documents = 0, empty_documents = 0;
  int64_t inexact_documents = 0;  // whose tokens don't decode to their text: a given tokenizer may normalise
  int64_t bytes = 0, tokens = 0;  // as LanguageReport's
  std::array<LanguageReport, 3> languages;  // as language_tags()
};

// A table for people, a line a language: documents, bytes, tokens, bytes a token.
std::string describe(const PrepareReport& report);

struct Manifest {
  std::string key;                 // hash of inputs and options
  int64_t vocabulary = 0;
  uint32_t shards = 0;
  std::string fingerprint;         // hash of tokens, masks, splits and tokenizer: equal on ranks with the same data
  std::vector<std::string> files;  // texts, by DocumentRecord::file
  std::vector<std::pair<std::string, int64_t>> parts;  // files of the folder and their sizes in bytes
  PrepareReport report;
};

void save_manifest(const std::string& folder, const Manifest& manifest);
// Errors: Error(kData) for a folder that isn't a whole prepared data set of this version, saying why.
Manifest load_manifest(const std::string& folder);

}  // namespace sz
