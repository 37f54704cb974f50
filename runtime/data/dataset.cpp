#include "data/dataset.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/hash.h"
#include "data/document_table.h"
#include "data/shards.h"

namespace sz {
namespace {

int64_t samples_of(const DocumentRecord& record, int64_t context) {
  return (static_cast<int64_t>(record.tokens) - 1 + context - 1) / context;
}

// Samples at the document's start that lie in the prompt, labels and all: the last label of sample k is token
// (k+1)*context, so that those with (k+1)*context < masked are dropped.
int64_t dropped_of(const DocumentRecord& record, int64_t context) {
  return std::max<int64_t>(0, (static_cast<int64_t>(record.masked_tokens) - 1) / context);
}

// The documents of a split and their samples.
struct Index {
  std::vector<uint32_t> documents;
  std::vector<int64_t> ends;  // samples up to and with the document

  void add(uint32_t document, int64_t samples) {
    documents.push_back(document);
    ends.push_back(count() + samples);
  }
  int64_t count() const { return ends.empty() ? 0 : ends.back(); }
};

}  // namespace

struct Dataset::Impl {
  Manifest manifest;
  int64_t context;
  Tokenizer tokenizer;
  MappedFile table;
  ShardReader shards;
  Index indices[2];

  Impl(const std::string& folder, int64_t tokens)
      : manifest(load_manifest(folder)),
        context(tokens),
        tokenizer(Tokenizer::load(folder + "/tokenizer.model")),
        table(folder + "/documents.bin"),
        shards(folder, manifest.shards, manifest.vocabulary) {}

  size_t documents() const { return table.bytes().size() / sizeof(DocumentRecord); }
  DocumentRecord record(size_t document) const {
    SZ_ASSERT(document < documents());
    DocumentRecord record;
    std::memcpy(&record, table.bytes().data() + document * sizeof record, sizeof record);
    return record;
  }
  const Index& index(Split split) const { return indices[static_cast<size_t>(split)]; }

  void build(const std::string& folder);
  bool valid(const DocumentRecord& record) const;
  SampleInfo info(Split split, int64_t sample) const;
  // Calls visit(document's record) for the split's documents of the language ("" for all).
  template <class Visit>
  void for_each(Split split, const std::string& language, const Visit& visit) const;
};

bool Dataset::Impl::valid(const DocumentRecord& record) const {
  return record.tokens >= 2 && record.masked_tokens >= 1 && record.masked_tokens < record.tokens &&
         record.language < language_tags().size() && record.split < 2 && record.file < manifest.files.size() &&
         shards.holds(record);
}

void Dataset::Impl::build(const std::string& folder) {
  if (tokenizer.vocabulary() != manifest.vocabulary || documents() != size_t(manifest.report.documents)) {
    throw Error(Exit::kData, folder + ": its files don't belong together; remove the folder to have it prepared again");
  }
  for (size_t i = 0; i < documents(); ++i) {
    const DocumentRecord document = record(i);
    if (!valid(document)) {
      throw Error(Exit::kData, folder + "/documents.bin: record " + std::to_string(i) +
                                   " is damaged; remove the folder to have it prepared again");
    }
    const int64_t samples = samples_of(document, context) - dropped_of(document, context);
    indices[document.split].add(static_cast<uint32_t>(i), samples);
  }
}

SampleInfo Dataset::Impl::info(Split split, int64_t sample) const {
  const Index& samples = index(split);
  SZ_ASSERT(sample >= 0 && sample < samples.count());
  const auto found = std::upper_bound(samples.ends.begin(), samples.ends.end(), sample);
  const auto place = static_cast<size_t>(found - samples.ends.begin());
  const int64_t before = place == 0 ? 0 : samples.ends[place - 1];
  const DocumentRecord document = record(samples.documents[place]);

  SampleInfo info;
  info.document = samples.documents[place];
  info.offset = (sample - before + dropped_of(document, context)) * context;
  info.length = std::min(context, static_cast<int64_t>(document.tokens) - 1 - info.offset);
  const int64_t first_counted = std::max(info.offset + 1, static_cast<int64_t>(document.masked_tokens));
  info.label_tokens = info.offset + info.length - first_counted + 1;
  info.language = document.language;
  return info;
}

template <class Visit>
void Dataset::Impl::for_each(Split split, const std::string& language, const Visit& visit) const {
  for (const uint32_t i : index(split).documents) {
    const DocumentRecord document = record(i);
    if (language.empty() || language_tags()[document.language] == language) {
      visit(document);
    }
  }
}

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::~Dataset() = default;

std::shared_ptr<Dataset> Dataset::open(const std::string& folder, int64_t context) {
  SZ_ASSERT(context > 0);
  auto impl = std::make_unique<Impl>(folder, context);
  impl->build(folder);
  return std::shared_ptr<Dataset>(new Dataset(std::move(impl)));
}

int64_t Dataset::count(Split split) const { return impl_->index(split).count(); }
SampleInfo Dataset::info(Split split, int64_t sample) const { return impl_->info(split, sample); }

void Dataset::read(Split split, int64_t sample, SampleTokens& out) const {
  const SampleInfo info = impl_->info(split, sample);
  const DocumentRecord document = impl_->record(static_cast<size_t>(info.document));
  impl_->shards.read(document, uint64_t(info.offset), uint64_t(info.length), out.ids);
  impl_->shards.read(document, uint64_t(info.offset) + 1, uint64_t(info.length), out.labels);
  out.mask.assign(static_cast<size_t>(info.length), 0.0f);
  std::fill(out.mask.end() - info.label_tokens, out.mask.end(), 1.0f);
}

std::string Dataset::text(Split split, int64_t sample) const {
  const SampleInfo info = impl_->info(split, sample);
  std::vector<int64_t> ids;
  impl_->shards.read(impl_->record(size_t(info.document)), uint64_t(info.offset), uint64_t(info.length), ids);
  return trim_to_utf8(impl_->tokenizer.decode(std::vector<int32_t>(ids.begin(), ids.end())));
}

const std::vector<std::string>& Dataset::languages() const { return language_tags(); }
int64_t Dataset::vocabulary() const { return impl_->manifest.vocabulary; }
std::vector<int64_t> Dataset::encode(std::string_view text) const {
  const std::vector<int32_t> ids = impl_->tokenizer.encode(text);
  return {ids.begin(), ids.end()};
}
int64_t Dataset::context() const { return impl_->context; }
int64_t Dataset::documents() const { return static_cast<int64_t>(impl_->documents()); }
const Tokenizer& Dataset::tokenizer() const { return impl_->tokenizer; }
const Manifest& Dataset::manifest() const { return impl_->manifest; }

DocumentOrigin Dataset::origin(int64_t document) const {
  const DocumentRecord record = impl_->record(static_cast<size_t>(document));
  return {impl_->manifest.files[record.file], record.line, static_cast<int64_t>(record.offset),
          static_cast<int64_t>(record.bytes)};
}

std::string Dataset::fingerprint() const {
  return xxh3_128_hex(impl_->manifest.fingerprint + " " + std::to_string(impl_->context));
}

double Dataset::unigram_entropy(Split split, const std::string& language) const {
  std::vector<int64_t> counts(static_cast<size_t>(vocabulary()));
  impl_->for_each(split, language, [&](const DocumentRecord& document) {
    for (uint64_t i = document.masked_tokens; i < document.tokens; ++i) {
      ++counts.at(static_cast<size_t>(impl_->shards.token(document, i)));
    }
  });
  const double total = double(label_tokens(split, language));
  double entropy = 0;
  for (const int64_t count : counts) {
    if (count > 0) {
      entropy -= double(count) / total * std::log(double(count) / total);
    }
  }
  return entropy;
}

int64_t Dataset::label_tokens(Split split, const std::string& language) const {
  int64_t tokens = 0;
  impl_->for_each(split, language, [&](const DocumentRecord& document) {
    tokens += static_cast<int64_t>(document.tokens - document.masked_tokens);
  });
  return tokens;
}

}  // namespace sz
