#include "data/prepare.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text.h"
#include "data/cache_lock.h"
#include "data/corpus_writer.h"
#include "data/tokenizer.h"

namespace sz {
namespace fs = std::filesystem;
namespace {

// Part of every key: raise it where the same options and files would give other tokens or samples.
constexpr int kFormat = 1;

struct Inputs {
  std::vector<InputFile> files;
  int64_t skipped = 0;
  int64_t bytes = 0;
};

void check(const PrepareOptions& options) {
  if (options.paths.empty()) {
    throw Error(Exit::kUsage, "data.paths is empty; name at least one .txt or .jsonl file or a folder of them");
  }
  if (!(options.validation >= 0 && options.validation < 1)) {
    throw Error(Exit::kUsage, "data.validation = " + std::to_string(options.validation) + ", expected 0 to below 1");
  }
  SZ_ASSERT(!options.cache.empty());
}

Inputs find_inputs(const PrepareOptions& options) {
  Inputs inputs;
  inputs.files = find_input_files(options.paths, &inputs.skipped);
  if (inputs.files.empty()) {
    throw Error(Exit::kData, "data.paths: no .txt or .jsonl file in " + joined(options.paths) + " (" +
                                 std::to_string(inputs.skipped) + " files of other kinds)");
  }
  for (const InputFile& file : inputs.files) {
    inputs.bytes += file.bytes;
  }
  return inputs;
}

std::string key_of(const PrepareOptions& options, const Inputs& inputs) {
  nlohmann::json json = {kFormat,
                         static_cast<int>(options.read.separator),
                         options.read.text_field,
                         options.read.prompt_field,
                         options.read.response_field,
                         options.validation,
                         options.seed,
                         options.shard_bytes};
  if (options.tokenizer.empty()) {
    json.push_back({options.vocabulary, options.tokenizer_sample_bytes});
  } else {
    json.push_back(xxh3_128_hex_of_file(options.tokenizer));
  }
  for (const InputFile& file : inputs.files) {
    json.push_back({xxh3_128_hex(fs::canonical(file.path).string()), file.bytes, file.modified_ns});
  }
  return xxh3_128_hex(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::optional<Manifest> find_current(const std::string& folder, const std::string& key) {
  if (!fs::exists(folder)) {
    return std::nullopt;
  }
  try {
    Manifest manifest = load_manifest(folder);
    if (manifest.key == key) {
      return manifest;
    }
  } catch (const Error& error) {
    log::warn(std::string("data: ") + error.what() + " (done now)");
  }
  return std::nullopt;
}

ProgressOptions progress_options(const PrepareOptions& options) {
  ProgressOptions progress;
  progress.enabled = options.progress;
  return progress;
}

void require_documents(const PrepareOptions& options, const ReadReport& read) {
  if (read.documents == 0) {
    throw Error(Exit::kData, "data.paths: no documents in " + joined(options.paths) + ": " +
                                 std::to_string(read.files) + " files without text");
  }
}

Tokenizer make_tokenizer(const PrepareOptions& options, const Inputs& inputs) {
  if (!options.tokenizer.empty()) {
    return Tokenizer::load(options.tokenizer);
  }
  TokenizerTraining training(inputs.bytes, options.tokenizer_sample_bytes, options.seed);
  DocumentReader reader(inputs.files, options.read);
  Document document;
  {
    Progress progress("data: reading for the tokenizer", inputs.bytes, progress_options(options));
    while (reader.next(document)) {
      throw_if_stopped();
      training.add(document.text);
      progress.update(reader.bytes_read());
    }
  }
  require_documents(options, reader.report());
  if (options.progress) {
    log::info("data: training a tokenizer of " + std::to_string(options.vocabulary) + " pieces on " +
              std::to_string(training.sentences()) + " lines");
  }
  return Tokenizer::from_bytes(training.train(options.vocabulary), "the tokenizer trained here");
}

void write_corpus(const PrepareOptions& options, const Inputs& inputs, const Tokenizer& tokenizer,
                  const std::string& folder, Manifest& manifest) {
  CorpusWriter writer(folder, tokenizer, options.seed, options.shard_bytes);
  DocumentReader reader(inputs.files, options.read);
  Document document;
  Progress progress("data: tokenizing", inputs.bytes, progress_options(options));
  while (reader.next(document)) {
    throw_if_stopped();
    writer.add(document);
    progress.update(reader.bytes_read());
  }
  const ReadReport& read = reader.report();
  require_documents(options, read);
  manifest.report.files = read.files;
  manifest.report.skipped_files = inputs.skipped;
  manifest.report.documents = read.documents;
  manifest.report.empty_documents = read.empty_documents;
  for (const InputFile& file : reader.files()) {
    manifest.files.push_back(file.path);
  }
  writer.finish(options.validation, manifest);
}

void list_parts(const std::string& folder, Manifest& manifest) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    manifest.parts.emplace_back(entry.path().filename().string(), static_cast<int64_t>(entry.file_size()));
  }
}

// Removes the folder of a preparation that failed.
class Aside {
 public:
  explicit Aside(std::string folder) : folder_(std::move(folder)) {
    fs::remove_all(folder_);
    make_directories(folder_);
  }
  ~Aside() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  const std::string& folder() const { return folder_; }
  void move_to(const std::string& place) {
    fs::remove_all(place);  // a damaged one
    sync_folder(folder_);
    std::error_code code;
    fs::rename(folder_, place, code);
    if (code) {
      throw io_error("write", place, code.value());
    }
    sync_folder(folder_of(place));
  }

 private:
  std::string folder_;
};

Manifest prepare_into(const std::string& folder, const std::string& key, const PrepareOptions& options,
                      const Inputs& inputs) {
  Manifest manifest;
  manifest.key = key;
  // Before there is a folder: its training takes long, can't be interrupted, and may be killed.
  const Tokenizer tokenizer = make_tokenizer(options, inputs);
  Aside aside(folder + ".partial");
  write_file_atomically(aside.folder() + "/tokenizer.model", tokenizer.bytes());
  write_corpus(options, inputs, tokenizer, aside.folder(), manifest);
  list_parts(aside.folder(), manifest);
  save_manifest(aside.folder(), manifest);
  aside.move_to(folder);
  return manifest;
}

void tell(const PrepareOptions& options, const Prepared& prepared) {
  const PrepareReport& report = prepared.manifest.report;
  if (!options.progress) {
    return;
  }
  if (prepared.reused) {
    log::info("data: reusing " + prepared.folder + " (" + std::to_string(report.documents) + " documents, " +
              std::to_string(report.tokens) + " tokens)");
    return;
  }
  log::info("data: prepared " + prepared.folder + ": " + describe(report));
  if (report.inexact_documents > 0) {
    log::warn("data: " + std::to_string(report.inexact_documents) + " of " + std::to_string(report.documents) +
              " documents aren't kept to the letter by " + options.tokenizer + ", which changes text as it reads it");
  }
  int64_t validation = 0;
  for (const LanguageReport& language : report.languages) {
    validation += language.validation_documents;
  }
  if (options.validation > 0 && validation == 0) {
    log::warn("data: no document is left for validation: the text is one document, or copies of one");
  }
}

}  // namespace

Prepared prepare(const PrepareOptions& options) {
  check(options);
  const Inputs inputs = find_inputs(options);
  Prepared prepared;
  const std::string key = key_of(options, inputs);
  make_directories(options.cache);
  prepared.folder = options.cache + "/" + key;

  const CacheLock lock(prepared.folder + ".lock");
  remove_abandoned(options.cache);
  if (std::optional<Manifest> current = find_current(prepared.folder, key)) {
    prepared.manifest = std::move(*current);
    prepared.reused = true;
  } else {
    prepared.manifest = prepare_into(prepared.folder, key, options, inputs);
  }
  tell(options, prepared);
  return prepared;
}

std::optional<Prepared> find_prepared(const PrepareOptions& options) {
  check(options);
  const std::string key = key_of(options, find_inputs(options));
  Prepared prepared;
  prepared.folder = options.cache + "/" + key;
  std::optional<Manifest> current = find_current(prepared.folder, key);
  if (!current) return std::nullopt;
  prepared.manifest = std::move(*current);
  prepared.reused = true;
  return prepared;
}

}  // namespace sz
