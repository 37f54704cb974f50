#include "data/split.h"

#include <algorithm>

#include "base/error.h"
#include "data/document_table.h"

namespace sz {
namespace {

double to_fraction(uint64_t hash) { return double(hash >> 11) * 0x1p-53; }

struct Sides {
  std::span<const uint64_t> hashes;
  std::vector<Split>& split;

  // Gives `side` the document nearest to the threshold, and its copies, if `members` has none there.
  void ensure(const std::vector<size_t>& members, Split side) {
    if (std::any_of(members.begin(), members.end(), [&](size_t i) { return split[i] == side; })) {
      return;
    }
    const auto [low, high] = std::minmax_element(members.begin(), members.end(),
                                                 [&](size_t a, size_t b) { return hashes[a] < hashes[b]; });
    const uint64_t moved = hashes[side == Split::kValidation ? *low : *high];
    for (const size_t i : members) {
      split[i] = hashes[i] == moved ? side : split[i];
    }
  }

  // With one document, or copies of one, there are no two sides: it is for training.
  void balance(const std::vector<size_t>& members) {
    const auto differs = [&](size_t i) { return hashes[i] != hashes[members[0]]; };
    if (std::any_of(members.begin(), members.end(), differs)) {
      ensure(members, Split::kValidation);
      ensure(members, Split::kTrain);
    } else {
      std::for_each(members.begin(), members.end(), [&](size_t i) { split[i] = Split::kTrain; });
    }
  }
};

}  // namespace

std::vector<Split> split_documents(std::span<const uint64_t> hashes, std::span<const uint8_t> languages,
                                   double fraction) {
  SZ_ASSERT(hashes.size() == languages.size());
  std::vector<Split> split(hashes.size(), Split::kTrain);
  if (fraction <= 0) {
    return split;
  }
  std::vector<std::vector<size_t>> by_language(language_tags().size());
  std::vector<size_t> all;
  for (size_t i = 0; i < hashes.size(); ++i) {
    split[i] = to_fraction(hashes[i]) < fraction ? Split::kValidation : Split::kTrain;
    by_language.at(languages[i]).push_back(i);
    all.push_back(i);
  }
  Sides sides{hashes, split};
  for (const std::vector<size_t>& members : by_language) {
    sides.balance(members);
  }
  sides.balance(all);
  return split;
}

}  // namespace sz
