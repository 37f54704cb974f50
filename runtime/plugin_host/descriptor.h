// What a plugin says of itself, as C++ data: a deep copy of its C descriptor, checked. Nothing here points
// into the plugin.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "plugin_host/key_value.h"
#include "train/hooks.h"

struct sz_descriptor;

namespace sz {

// A claim holds only where all its conditions do.
struct Condition {
  enum class Op : uint8_t { kEqual, kNotEqual, kIn };
  std::string key;  // one of the plugin's own
  Op op = Op::kEqual;
  std::vector<std::string> values;  // as to_text() writes them
  std::string text() const;         // `level != O0`
};
using Conditions = std::vector<Condition>;

struct HookClaim {
  Hook hook = Hook::kRunBegin;
  std::vector<std::string> before, after;  // plugin ids; hold when the other is there
  Conditions when;
};

enum class Slot : uint8_t { kPrecision = 0, kResidency, kSampler };
inline constexpr int kSlotCount = 3;
const char* name_of(Slot slot);  // "precision"

struct SlotClaim {
  Slot slot = Slot::kPrecision;
  Conditions when;
};

struct ServiceOffer {
  std::string service;  // "sz.scorer/1"
  std::string name;     // "tfidf"
  Conditions when;
};

// A hard requirement: without it the plan fails.
struct Need {
  enum class Kind : uint8_t { kInterface, kService, kPlugin };
  Kind kind = Kind::kPlugin;
  std::string id;  // "sz.torch/1", "sz.scorer/1", "amp_o2"
  Conditions when;
};

struct StateUse {
  bool rollback = false;  // restored by a rollback too, not from checkpoints alone
  uint32_t version = 1;
};

struct Descriptor {
  std::string id, version, licence, summary, summary_zh;
  std::vector<KeySpec> keys;  // paths without "plugins.ID."
  std::vector<HookClaim> hooks;
  std::vector<SlotClaim> slots;
  std::vector<ServiceOffer> gives;
  std::vector<Need> needs;
  std::optional<StateUse> state;
  bool votes = false;
};

// Reads the plugin's data. Errors: Error(kPlugin) naming the path, the field and what is wrong with it: missing or
// broken texts, unknown enum values, lists that don't end, conditions on keys that are not there, structs of an older
// size than the first.
Descriptor copy_descriptor(const sz_descriptor* descriptor, const std::string& path);

}  // namespace sz
