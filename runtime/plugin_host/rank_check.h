// Before step 0 every rank must hold the same load plan, configuration and data.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "comm/communicator.h"

namespace sz {

using Fingerprint = std::vector<std::pair<std::string, std::string>>;

// What it is when ranks differ: the kind of error, and how its message begins.
struct Mismatch {
  Exit exit = Exit::kPlugin;
  std::string what = "the ranks don't run the same plugins and configuration; give all hosts the same files";
};

// Compares with one small gather; only where the hashes differ are the fingerprints exchanged too. Collective: all
// ranks call it, on Channel::kScalar. Errors, on every rank alike: that of `mismatch`, naming rank, key (which names
// the plugin) and both values, for every key that differs from rank 0's.
void compare_across_ranks(Communicator& comm, uint64_t hash, const Fingerprint& fingerprint,
                          const Mismatch& mismatch = {});

}  // namespace sz
