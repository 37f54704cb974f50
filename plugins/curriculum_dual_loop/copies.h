// A perturbed copy of a training sample, in the place of its tokens.
#pragma once
#include <cstdint>
#include <vector>

#include <sz/slots.h>

namespace curriculum {

// Puts the tokens of a changed text into a sample, keeping its length and mask: the sample's tokens, inputs and the
// last label, become [the first input, where `keep_first` (BOS)] + `tokens`, as far as they reach; behind them the old
// tokens stay, the last label in any case (EOS, or where the next sample goes on).
void put_tokens(const sz_sample_tokens& sample, const std::vector<int64_t>& tokens, bool keep_first);

}  // namespace curriculum
