// Builds a plugin's descriptor, once, and keeps what it points to:
//
//   sz::Descriptor("grad_watch", "1.0.0")
//       .licence("Apache-2.0").summary("watches gradients")
//       .hook({SZ_VERDICT})
//       .hook({SZ_STEP_END}, {.after = {"amp_o2"}, .when = {{"level", SZ_NOT_EQUAL, {"O0"}}}})
//       .key({.name = "window", .type = SZ_KEY_INT, .default_toml = "100", .min = 2, .max = 1000});
#pragma once
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <sz/hooks.h>
#include <sz/plugin.h>

namespace sz::inline sdk {

using Names = std::vector<std::string>;

// Holds when all of its list do; values are compared as text.
struct Condition {
  std::string key;
  sz_op op = SZ_EQUAL;
  Names values;
};
using When = std::vector<Condition>;

struct HookOrder {
  Names before = {}, after = {};
  When when = {};
};

struct Key {
  std::string name;
  sz_key_type type = SZ_KEY_INT;
  std::string default_toml = {};  // empty: absent unless given
  std::string help = {}, unit = {};
  Names choices = {};
  double min = 0, max = 0;  // both 0: no limits
  bool required = false, per_host = false;
};

namespace detail {

// Lists of pointers that end in null, over elements that never move.
template <class T>
class PointerList {
 public:
  T& add() {
    items_.emplace_back();
    pointers_.back() = &items_.back();
    pointers_.push_back(nullptr);
    return items_.back();
  }
  const T* const* data() const { return items_.empty() ? nullptr : pointers_.data(); }

 private:
  std::deque<T> items_;
  std::vector<const T*> pointers_ = {nullptr};
};

class DescriptorStore {
 public:
  const char* text(const std::string& s) { return s.empty() ? nullptr : texts_.emplace_back(s).c_str(); }

  const char* const* names(const Names& names) {
    if (names.empty()) return nullptr;
    auto& list = name_lists_.emplace_back();
    for (const auto& name : names) list.push_back(texts_.emplace_back(name).c_str());
    list.push_back(nullptr);
    return list.data();
  }

  const sz_condition* const* when(const When& conditions) {
    auto& list = condition_lists_.emplace_back();
    for (const auto& condition : conditions) {
      list.add() = {sizeof(sz_condition), condition.op, text(condition.key), names(condition.values)};
    }
    return list.data();
  }

  PointerList<sz_need> needs;
  PointerList<sz_give> gives;
  PointerList<sz_hook_use> hooks;
  PointerList<sz_slot_use> slots;
  PointerList<sz_key> keys;
  sz_state_use state = {};
  sz_descriptor descriptor = {};

 private:
  std::deque<std::string> texts_;
  std::deque<std::vector<const char*>> name_lists_;
  std::deque<PointerList<sz_condition>> condition_lists_;
};

}  // namespace detail

class Descriptor {
 public:
  Descriptor(const std::string& id, const std::string& version) : store_(std::make_unique<detail::DescriptorStore>()) {
    sz_descriptor& d = store_->descriptor;
    d.struct_size = sizeof(d);
    d.draft = SZ_DRAFT;
    d.id = store_->text(id);
    d.version = store_->text(version);
  }

  Descriptor&& licence(const std::string& spdx) && {
    store_->descriptor.licence = store_->text(spdx);
    return std::move(*this);
  }
  Descriptor&& summary(const std::string& english, const std::string& chinese = {}) && {
    store_->descriptor.summary = store_->text(english);
    store_->descriptor.summary_zh = store_->text(chinese);
    return std::move(*this);
  }
  // Hooks that share one order and condition.
  Descriptor&& hook(std::initializer_list<sz_hook> hooks, const HookOrder& order = {}) && {
    for (const sz_hook hook : hooks) {
      store_->hooks.add() = {sizeof(sz_hook_use), hook, store_->names(order.before), store_->names(order.after),
                             store_->when(order.when)};
    }
    return std::move(*this);
  }
  Descriptor&& slot(const std::string& slot, const When& when = {}) && {
    store_->slots.add() = {sizeof(sz_slot_use), 0, store_->text(slot), store_->when(when)};
    return std::move(*this);
  }
  Descriptor&& need(sz_need_kind kind, const std::string& id, const When& when = {}) && {
    store_->needs.add() = {sizeof(sz_need), kind, store_->text(id), store_->when(when)};
    return std::move(*this);
  }
  // An empty name is the plugin's id.
  Descriptor&& give(const std::string& service, const std::string& name = {}, const When& when = {}) && {
    store_->gives.add() = {sizeof(sz_give), 0, store_->text(service), store_->text(name), store_->when(when)};
    return std::move(*this);
  }
  Descriptor&& state(sz_state_scope scope, uint32_t version = 1) && {
    store_->state = {sizeof(sz_state_use), scope, version, 0};
    store_->descriptor.state = &store_->state;
    return std::move(*this);
  }
  Descriptor&& votes() && {
    store_->descriptor.votes = 1;
    return std::move(*this);
  }
  Descriptor&& key(const Key& key) && {
    sz_key& k = store_->keys.add();
    k.struct_size = sizeof(k);
    k.type = key.type;
    k.name = store_->text(key.name);
    k.default_toml = store_->text(key.default_toml);
    k.help = store_->text(key.help);
    k.unit = store_->text(key.unit);
    k.choices = store_->names(key.choices);
    k.min = key.min;
    k.max = key.max;
    k.required = key.required;
    k.per_host = key.per_host;
    return std::move(*this);
  }

  // Lives as long as this object.
  const sz_descriptor* c() const {
    sz_descriptor& d = store_->descriptor;
    d.needs = store_->needs.data();
    d.gives = store_->gives.data();
    d.hooks = store_->hooks.data();
    d.slots = store_->slots.data();
    d.keys = store_->keys.data();
    return &d;
  }

 private:
  std::unique_ptr<detail::DescriptorStore> store_;
};

}  // namespace sz::inline sdk
