// Values by 64-bit hash of their key: the keys themselves are not kept. Among a million keys the chance that any two
// share a hash is below 1e-7.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "text/hash.h"

namespace sz::text {

template <class Value>
class HashTable {
 public:
  explicit HashTable(size_t expected = 16) { grow_to(expected * 2); }

  size_t size() const { return size_; }
  size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

  const Value* find(uint64_t hash) const {
    const Slot& slot = slots_[place(hash)];
    return slot.hash == 0 ? nullptr : &slot.value;
  }
  Value* find(uint64_t hash) { return const_cast<Value*>(std::as_const(*this).find(hash)); }

  Value& operator[](uint64_t hash) {
    if (size_ * 2 >= slots_.size()) grow_to(slots_.size() * 2);
    Slot& slot = slots_[place(hash)];
    if (slot.hash == 0) {
      slot.hash = key_of(hash);
      ++size_;
    }
    return slot.value;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.hash != 0) visit(slot.hash, slot.value);
    }
  }

 private:
  struct Slot {
    uint64_t hash = 0;  // 0: free
    Value value{};
  };
  static uint64_t key_of(uint64_t hash) { return hash == 0 ? 1 : hash; }

  size_t place(uint64_t hash) const {
    const uint64_t key = key_of(hash);
    size_t at = spread(key) & (slots_.size() - 1);
    while (slots_[at].hash != 0 && slots_[at].hash != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow_to(size_t slots) {
    size_t size = 32;
    while (size < slots) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.hash != 0) slots_[place(slot.hash)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace sz::text
