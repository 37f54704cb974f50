// Names inside a checkpoint folder, in one place. Internal to checkpoint/.
//
//   ROOT/step-N/manifest.json  config.toml  state-R-of-N.safetensors  plugins/ID.bin
//   ROOT/step-N.tmp            being written, or left by a process that died
//   ROOT/step-N.old            what step-N.tmp is about to replace, where folders cannot be exchanged atomically
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sz::layout {

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kConfig = "config.toml";
inline constexpr const char* kPlugins = "plugins";
inline constexpr const char* kTemporary = ".tmp";
inline constexpr const char* kReplaced = ".old";
inline constexpr const char* kShapes = "shapes";  // key in __metadata__: {"PARAMETER/STATE": [..], ..} as JSON text

std::string step_folder(int64_t step);                                  // "step-N"
std::optional<int64_t> step_of(const std::string& folder_name);         // of exactly "step-N"
std::string state_file(int rank, int ranks);                            // "state-R-of-N.safetensors"
bool is_state_file(const std::string& name);
std::string plugin_file(const std::string& id);                         // "plugins/ID.bin"
bool is_file_id(const std::string& id);  // letters, digits, '_', '-', '.', not starting with '.', at most 128
// True for the names above alone, so that a manifest can't point outside of its folder.
bool is_file_name(const std::string& name);

// A tensor's name is PARAMETER/STATE where it holds the whole array, in its shape, and PARAMETER/STATE@BEGIN:END
// (flat elements, one dimension) where it holds a stretch. STATE is a file id, so it has no '/', '@' or ':'.
struct TensorName {
  std::string parameter, state;
  bool whole = true;
  int64_t begin = 0, end = 0;  // where not whole
};
std::string tensor_name(const TensorName& name);
std::optional<TensorName> parse_tensor_name(const std::string& text);

}  // namespace sz::layout
