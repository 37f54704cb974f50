// Which documents are held out for validation.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "data/plan.h"

namespace sz {

// A document goes to validation where its hash, as a number in [0, 1), is below `fraction`: equal documents stay
// together, and a document's side doesn't change as others come and go. Then, so that every language can be validated,
// a language of two or more different documents gets at least one on either side (the nearest to the threshold
// moves), and a language of one trains on it; then the same for the whole. Fraction 0: all train.
// hashes, languages: one per document.
std::vector<Split> split_documents(std::span<const uint64_t> hashes, std::span<const uint8_t> languages,
                                   double fraction);

}  // namespace sz
