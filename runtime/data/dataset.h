// A prepared data set, cut into samples of at most `context` tokens.
//
// A document is BOS, its tokens, EOS. Sample k of a document takes its tokens [k*context, (k+1)*context) as inputs and
// the tokens after each as labels, so that two neighbours share one token and every token but BOS is predicted exactly
// once. A prompt's labels are masked; samples without a label that counts don't exist.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/manifest.h"
#include "data/source_service.h"
#include "data/tokenizer.h"

namespace sz {

// Where a document came from.
struct DocumentOrigin {
  std::string file;
  int64_t line = 0;    // from 1
  int64_t offset = 0;  // bytes into the file
  int64_t bytes = 0;   // of its text
};

// Thread: any, at once. Holds 12 bytes a document besides the mapped files.
class Dataset : public Source {
 public:
  // `folder` as prepare() gave it; context > 0, in tokens. Errors: Error(kData) for a folder that is damaged or not a
  // prepared data set; base/files.h's.
  static std::shared_ptr<Dataset> open(const std::string& folder, int64_t context);
  ~Dataset() override;

  int64_t count(Split split) const override;
  SampleInfo info(Split split, int64_t sample) const override;
  void read(Split split, int64_t sample, SampleTokens& out) const override;
  std::string text(Split split, int64_t sample) const override;
  const std::vector<std::string>& languages() const override;
  int64_t vocabulary() const override;
  std::vector<int64_t> encode(std::string_view text) const override;

  int64_t context() const;
  int64_t documents() const;
  DocumentOrigin origin(int64_t document) const;
  const Tokenizer& tokenizer() const;
  const Manifest& manifest() const;
  // The same on ranks whose samples are the same: tokens, masks, splits, tokenizer, context.
  std::string fingerprint() const;

  // Entropy, in nats, of the distribution of the split's label tokens that count, in documents of the language ("" for
  // all): the loss of the best model that knows no context. Reads all of them. 0 where there are none.
  double unigram_entropy(Split split, const std::string& language = "") const;
  // Label tokens that count, as above.
  int64_t label_tokens(Split split, const std::string& language = "") const;

 private:
  struct Impl;
  explicit Dataset(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sz
