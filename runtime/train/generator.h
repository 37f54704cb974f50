// Text from the model: one row, token by token, with a key-value cache.
#pragma once
#include <cstdint>
#include <vector>

#include "train/segment_runner.h"

namespace sz {

struct GenerateOptions {
  int64_t tokens = 64;       // at most
  double temperature = 0.8;  // 0: the likeliest token
  int64_t top_k = 40;        // 0: all
  uint64_t seed = 0;
  int64_t end_token = -1;    // stops after it
  std::vector<int64_t> forbidden;  // tokens never drawn (padding, unknown)
};

// Continues `prompt` (not empty, shorter than the context); returns the new tokens, at most to the context's end.
// Collective: all ranks call it alike, since residency may gather; the tokens are the same on all of them.
std::vector<int64_t> generate(SegmentRunner& runner, Residency& residency, const ModelDeclaration& model,
                              const std::vector<int64_t>& prompt, const GenerateOptions& options);

}  // namespace sz
