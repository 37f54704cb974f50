#include "plugin_host/descriptor.h"

#include <sz/hooks.h>
#include <sz/plugin.h>

#include <charconv>
#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "plugin_host/key_value.h"

// The size that a struct had in ABI version 1, by its last field then.
#define SZ_FIRST_SIZE(type, last) (offsetof(type, last) + sizeof(type::last))

namespace sz {
namespace {

constexpr size_t kLongestText = 1 << 16, kLongestList = 4096;  // a list without its NULL is noticed before it harms

// Walks the C structs; knows where it is, for messages.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Exit::kPlugin, path_ + ": descriptor: " + what + "; the plugin must be mended by whoever builds it");
  }

  std::string text(const char* from, const std::string& field) const {
    if (!from) fail(field + " is missing");
    return optional_text(from, field);
  }

  std::string optional_text(const char* from, const std::string& field) const {
    if (!from) return "";
    const std::string_view view(from, ::strnlen(from, kLongestText));
    if (view.size() == kLongestText) fail(field + " doesn't end within 64 KiB");
    if (first_utf8_fault(view)) fail(field + " isn't valid UTF-8");
    return std::string(view);
  }

  std::vector<std::string> texts(const char* const* list, const std::string& field) const {
    std::vector<std::string> result;
    for (size_t i = 0; list && list[i]; ++i) {
      if (i == kLongestList) fail(field + " doesn't end with NULL");
      result.push_back(text(list[i], field));
    }
    return result;
  }

  // Calls visit(entry) for a list of pointers to structs of at least `size` bytes.
  template <class T, class Visit>
  void each(const T* const* list, size_t size, const std::string& field, Visit visit) const {
    for (size_t i = 0; list && list[i]; ++i) {
      if (i == kLongestList) fail(field + " doesn't end with NULL");
      check_size(list[i]->struct_size, size, field);
      visit(*list[i]);
    }
  }

  void check_size(uint32_t has, size_t needs, const std::string& field) const {
    if (has >= needs) return;
    fail(field + " has struct_size " + std::to_string(has) + ", the first version of it " + std::to_string(needs));
  }

  Conditions conditions(const sz_condition* const* list, const std::vector<KeySpec>& keys,
                        const std::string& field) const {
    Conditions result;
    each(list, SZ_FIRST_SIZE(sz_condition, values), field + ".when", [&](const sz_condition& from) {
      Condition condition;
      condition.key = text(from.key, field + ".when.key");
      const KeySpec* key = find(keys, condition.key);
      if (!key) fail(field + ".when: '" + condition.key + "' is none of the plugin's keys");
      if (from.op > SZ_IN) fail(field + ".when: unknown op " + std::to_string(from.op));
      condition.op = Condition::Op(from.op);
      for (const std::string& value : texts(from.values, field + ".when.values")) {
        condition.values.push_back(canonical(*key, value, field));
      }
      const bool one = condition.op != Condition::Op::kIn;
      if (condition.values.empty() || (one && condition.values.size() != 1)) {
        fail(field + ".when: '" + condition.key + "' is compared with " + std::to_string(condition.values.size()) +
             " values");
      }
      result.push_back(std::move(condition));
    });
    return result;
  }

 private:
  static const KeySpec* find(const std::vector<KeySpec>& keys, const std::string& name) {
    for (const KeySpec& key : keys) {
      if (key.path == name) return &key;
    }
    return nullptr;
  }

  // The way to_text() would write this value, so that 0.10 equals 0.1.
  std::string canonical(const KeySpec& key, const std::string& value, const std::string& field) const {
    if (key.type == KeyType::kString) return value;
    try {
      KeySpec any = key;
      any.min = -std::numeric_limits<double>::infinity();
      any.max = std::numeric_limits<double>::infinity();
      return to_text(parse_value(any, value));
    } catch (const Error& error) {
      fail(field + ".when: " + error.what());
    }
  }

  std::string path_;
};

KeySpec read_key(const Reader& reader, const sz_key& from) {
  KeySpec key;
  key.path = reader.text(from.name, "keys.name");
  const std::string field = "key '" + key.path + "'";
  for (const char* reserved : {"enabled", "path", "sha256"}) {
    if (key.path == reserved) reader.fail(field + " is the host's own");
  }
  if (key.path.empty() || key.path.find_first_of(".\"'= \t\n") != std::string::npos) {
    reader.fail(field + " isn't a bare TOML key");
  }
  if (from.type > SZ_KEY_FLOAT_LIST) reader.fail(field + " has the unknown type " + std::to_string(from.type));
  key.type = KeyType(from.type);
  key.default_toml = reader.optional_text(from.default_toml, field + ".default_toml");
  key.help = reader.text(from.help, field + ".help");
  if (from.unit) key.help += " (" + reader.text(from.unit, field + ".unit") + ")";
  key.choices = reader.texts(from.choices, field + ".choices");
  if (!(from.min <= from.max)) reader.fail(field + " has a minimum above its maximum");
  if (from.min != 0 || from.max != 0) {
    key.min = from.min;
    key.max = from.max;
  }
  key.required = from.required != 0;
  key.per_host = from.per_host != 0;
  if (key.default_toml.empty()) return key;
  try {
    parse_value(key, key.default_toml);
  } catch (const Error& error) {
    reader.fail(field + ".default_toml: " + error.what());
  }
  return key;
}

std::vector<KeySpec> read_keys(const Reader& reader, const sz_descriptor& from) {
  std::vector<KeySpec> keys;
  reader.each(from.keys, SZ_FIRST_SIZE(sz_key, per_host), "keys", [&](const sz_key& entry) {
    KeySpec key = read_key(reader, entry);
    for (const KeySpec& other : keys) {
      if (other.path == key.path) reader.fail("key '" + key.path + "' is there twice");
    }
    keys.push_back(std::move(key));
  });
  return keys;
}

HookClaim read_hook(const Reader& reader, const sz_hook_use& from, const Descriptor& so_far) {
  if (from.hook >= kHookCount) reader.fail("hooks: unknown hook " + std::to_string(from.hook));
  HookClaim claim;
  claim.hook = Hook(from.hook);
  const std::string field = std::string("hook ") + name_of(claim.hook);
  claim.before = reader.texts(from.before, field + ".before");
  claim.after = reader.texts(from.after, field + ".after");
  claim.when = reader.conditions(from.when, so_far.keys, field);
  return claim;
}

SlotClaim read_slot(const Reader& reader, const sz_slot_use& from, const Descriptor& so_far) {
  const std::string name = reader.text(from.slot, "slots.slot");
  for (int s = 0; s < kSlotCount; ++s) {
    if (name == name_of(Slot(s))) return {Slot(s), reader.conditions(from.when, so_far.keys, "slot " + name)};
  }
  reader.fail("slots: there is no slot '" + name + "'");
}

// "sz.scorer/1"
std::string read_versioned(const Reader& reader, const char* from, const std::string& field) {
  const std::string id = reader.text(from, field);
  const size_t slash = id.rfind('/');
  uint32_t major = 0;
  const char* end = id.data() + id.size();
  const bool parsed = slash != std::string::npos && slash > 0 &&
                      std::from_chars(id.data() + slash + 1, end, major).ptr == end && slash + 1 < id.size();
  if (!parsed || major == 0) reader.fail(field + " is '" + id + "', not like \"sz.scorer/1\"");
  return id;
}

ServiceOffer read_give(const Reader& reader, const sz_give& from, const Descriptor& so_far) {
  ServiceOffer offer;
  offer.service = read_versioned(reader, from.service, "gives.service");
  offer.name = from.name ? reader.text(from.name, "gives.name") : so_far.id;
  offer.when = reader.conditions(from.when, so_far.keys, "service " + offer.service);
  return offer;
}

Need read_need(const Reader& reader, const sz_need& from, const Descriptor& so_far) {
  if (from.kind > SZ_NEED_PLUGIN) reader.fail("needs: unknown kind " + std::to_string(from.kind));
  Need need;
  need.kind = Need::Kind(from.kind);
  const bool plugin = need.kind == Need::Kind::kPlugin;
  need.id = plugin ? reader.text(from.id, "needs.id") : read_versioned(reader, from.id, "needs.id");
  need.when = reader.conditions(from.when, so_far.keys, "need " + need.id);
  return need;
}

std::optional<StateUse> read_state(const Reader& reader, const sz_state_use* from) {
  if (!from) return std::nullopt;
  reader.check_size(from->struct_size, SZ_FIRST_SIZE(sz_state_use, reserved), "state");
  if (from->scope > SZ_STATE_CHECKPOINT_AND_ROLLBACK) {
    reader.fail("state: unknown scope " + std::to_string(from->scope));
  }
  if (from->version == 0) reader.fail("state: version 0; versions count from 1");
  return StateUse{from->scope == SZ_STATE_CHECKPOINT_AND_ROLLBACK, from->version};
}

std::string read_id(const Reader& reader, const char* from) {
  const std::string id = reader.text(from, "id");
  const char* allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (id.empty() || id.find_first_not_of(allowed) != std::string::npos) {
    reader.fail("id '" + id + "' isn't made of a-z, 0-9 and _");
  }
  return id;
}

}  // namespace

static_assert(int(SZ_HOOK_COUNT) == kHookCount && int(SZ_SIGNAL) == int(Hook::kSignal) &&
              int(SZ_VERDICT) == int(Hook::kVerdict) && int(SZ_OPTIMIZER_STEP) == int(Hook::kOptimizerStep));
static_assert(int(SZ_NEED_INTERFACE) == int(Need::Kind::kInterface) &&
              int(SZ_NEED_SERVICE) == int(Need::Kind::kService) && int(SZ_NEED_PLUGIN) == int(Need::Kind::kPlugin));
static_assert(int(SZ_KEY_BOOL) == int(KeyType::kBool) && int(SZ_KEY_FLOAT_LIST) == int(KeyType::kFloatList));

const char* name_of(Slot slot) {
  static constexpr const char* kNames[kSlotCount] = {"precision", "residency", "sampler"};
  return kNames[int(slot)];
}

std::string Condition::text() const {
  const char* sign = op == Op::kEqual ? " == " : op == Op::kNotEqual ? " != " : " in ";
  return key + sign + joined(values);
}

Descriptor copy_descriptor(const sz_descriptor* from, const std::string& path) {
  const Reader reader(path);
  if (!from) reader.fail("there is none");
  reader.check_size(from->struct_size, SZ_FIRST_SIZE(sz_descriptor, reserved), "the descriptor");
  Descriptor result;
  result.id = read_id(reader, from->id);
  result.version = reader.text(from->version, "version");
  result.licence = reader.text(from->licence, "licence");
  result.summary = reader.text(from->summary, "summary");
  result.summary_zh = reader.optional_text(from->summary_zh, "summary_zh");
  result.keys = read_keys(reader, *from);
  reader.each(from->hooks, SZ_FIRST_SIZE(sz_hook_use, when), "hooks",
              [&](const sz_hook_use& use) { result.hooks.push_back(read_hook(reader, use, result)); });
  reader.each(from->slots, SZ_FIRST_SIZE(sz_slot_use, when), "slots",
              [&](const sz_slot_use& use) { result.slots.push_back(read_slot(reader, use, result)); });
  reader.each(from->gives, SZ_FIRST_SIZE(sz_give, when), "gives",
              [&](const sz_give& give) { result.gives.push_back(read_give(reader, give, result)); });
  reader.each(from->needs, SZ_FIRST_SIZE(sz_need, when), "needs",
              [&](const sz_need& need) { result.needs.push_back(read_need(reader, need, result)); });
  result.state = read_state(reader, from->state);
  result.votes = from->votes != 0;
  return result;
}

}  // namespace sz
