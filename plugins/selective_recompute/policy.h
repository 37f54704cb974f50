// Which segments keep their activations: the policies, as functions of the segments' names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace recompute {

// What a segment keeps from forward to backward. The numbers are the save levels of the design.
enum class Keep : uint8_t { kAll = 0, kCostly = 1, kInputs = 2 };
const char* name_of(Keep keep);  // "kept", "cheap", "recomputed"

// Consecutive segments whose names are alike up to the last dot: "block.3.attention", "block.3.mlp".
struct Block {
  int first = 0, last = 0;  // inclusive; a block has at least two segments
};
std::vector<Block> blocks_of(const std::vector<std::string>& names);

// '*' stands for any characters, '?' for one.
bool matches(const std::string& pattern, const std::string& name);

struct PolicyOptions {
  std::string policy = "after_first_dropout";
  int64_t every = 2;
  std::vector<std::string> patterns = {};  // of "list"
};

// One entry a segment; the last segment, the loss, always keeps all. "budget" begins like "all".
// Throws std::invalid_argument where a pattern fits no segment, or a policy that goes by blocks finds none.
std::vector<Keep> choose(const PolicyOptions& options, const std::vector<std::string>& names);

// Segments that do the same work: names without their digits, "block.#.mlp".
std::string kind_of(const std::string& name);

}  // namespace recompute
