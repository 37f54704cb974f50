// Before step 0 every rank must hold the same load plan and configuration.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.h"

namespace sz {

using Fingerprint = std::vector<std::pair<std::string, std::string>>;

// Compares with one small gather; only where the hashes differ are the fingerprints exchanged too. Collective: all
// ranks call it, on Channel::kScalar. Errors, on every rank alike: Error(kPlugin) naming rank, key (which names the
// plugin) and both values, for every key that differs from rank 0's.
void compare_across_ranks(Communicator& comm, uint64_t hash, const Fingerprint& fingerprint);

}  // namespace sz
