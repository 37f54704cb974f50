// From text files to a prepared data set: a folder with a tokenizer, token shards and a table of documents.
//
//   KEY/manifest.json  KEY/tokenizer.model  KEY/documents.bin  KEY/tokens-NNNNN.bin
//
// It doesn't depend on the context: samples are cut when it is opened (data/dataset.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest.h"
#include "data/shards.h"
#include "data/source.h"
#include "data/tokenizer_training.h"

namespace sz {

struct PrepareOptions {
  std::vector<std::string> paths;  // files and folders
  ReadOptions read;
  std::string tokenizer;       // a SentencePiece model; empty: one is trained on the text
  int64_t vocabulary = 8000;   // of a trained tokenizer
  double validation = 0.05;    // share of the documents held out, 0 to below 1
  uint64_t seed = 0;           // of the split
  std::string cache;           // the folder that prepared data sets lie in; made where missing
  int64_t tokenizer_sample_bytes = TokenizerTraining::kSampleBytes;
  int64_t shard_bytes = ShardWriter::kShardBytes;
  bool progress = true;        // shows how far it is; false on ranks other than 0
};

struct Prepared {
  std::string folder;  // for Dataset::open
  bool reused = false;
  Manifest manifest;
};

// Reuses what is there where neither options nor files (by path, size and time of change) have changed; else prepares
// aside and renames. Several processes may call it at once: one prepares, the others wait and reuse.
// Errors: Error(kData) for the text (data/source.h), a vocabulary that doesn't fit it, or no documents at all;
// Error(kExhausted) for a full disk; nothing half-made is left. A stop signal (base/signals.h) ends it with
// kInterrupted or kTerminated. Thread: one at a time in a process.
Prepared prepare(const PrepareOptions& options);

// The data set where it is there and current; nothing is prepared or waited for. Errors: as above, for the text.
std::optional<Prepared> find_prepared(const PrepareOptions& options);

}  // namespace sz
