// The service `sz.source/1`: a data set of samples in two splits.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/plan.h"

namespace sz {

// What the index knows of a sample without reading its tokens.
struct SampleInfo {
  int64_t document = 0;      // index over the whole data set, both splits
  int64_t offset = 0;        // first input, in tokens from the document's start (its BOS is 0)
  int64_t length = 0;        // inputs, at least 1; there are as many labels
  int64_t label_tokens = 0;  // labels that count, at least 1
  int32_t language = 0;      // index into Source::languages()
};

// A sample: inputs ids[t], their next tokens labels[t], and mask[t] = 1 where the label counts, else 0.
struct SampleTokens {
  std::vector<int64_t> ids, labels;
  std::vector<float> mask;
};

// Thread: any, all members, at once. Errors: indices out of range are assertions; Error(kData) from reading.
class Source {
 public:
  virtual ~Source() = default;
  virtual int64_t count(Split split) const = 0;
  virtual SampleInfo info(Split split, int64_t sample) const = 0;
  // Replaces what `out` holds, keeping its memory.
  virtual void read(Split split, int64_t sample, SampleTokens& out) const = 0;
  // The text of the sample's inputs, valid UTF-8: a character that the sample's ends cut in two is left out.
  virtual std::string text(Split split, int64_t sample) const = 0;
  // Tags that SampleInfo::language points into; the same list in every data set: "en", "zh", "other".
  virtual const std::vector<std::string>& languages() const = 0;
  virtual int64_t vocabulary() const = 0;
  // Tokens of a text, without control tokens. Errors: Error(kData) from a source without a tokenizer (here).
  virtual std::vector<int64_t> encode(std::string_view text) const;
};

}  // namespace sz
