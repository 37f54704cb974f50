// Rows of one length, for training only; whoever derives from it reads them.
#pragma once
#include <string>
#include <vector>

#include "data/source_service.h"

namespace sz::bench {

class EqualRows : public Source {
 public:
  EqualRows(int64_t rows, int64_t context, int64_t vocabulary)
      : rows_(rows), context_(context), vocabulary_(vocabulary) {}
  int64_t count(Split split) const override { return split == Split::kTrain ? rows_ : 0; }
  SampleInfo info(Split, int64_t sample) const override {
    SampleInfo info;
    info.document = sample;
    info.length = info.label_tokens = context_;
    return info;
  }
  std::string text(Split, int64_t) const override { return ""; }
  const std::vector<std::string>& languages() const override { return languages_; }
  int64_t vocabulary() const override { return vocabulary_; }

 protected:
  int64_t context() const { return context_; }

 private:
  int64_t rows_, context_, vocabulary_;
  std::vector<std::string> languages_ = {"none"};
};

}  // namespace sz::bench
