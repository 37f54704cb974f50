#include "copies.h"

#include <algorithm>

namespace curriculum {

void put_tokens(const sz_sample_tokens& sample, const std::vector<int64_t>& tokens, bool keep_first) {
  const int64_t begin = keep_first ? 1 : 0;
  const int64_t end = std::min(sample.length, begin + int64_t(tokens.size()));
  for (int64_t t = begin; t < end; ++t) {
    sample.ids[t] = tokens[size_t(t - begin)];
    if (t > 0) sample.labels[t - 1] = sample.ids[t];
  }
}

}  // namespace curriculum
