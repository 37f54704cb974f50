// State as bytes: fixed-width little-endian fields in a fixed order.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace curriculum {

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void put_list(const std::vector<T>& values) {
    put(uint64_t(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Errors: std::runtime_error where the bytes end too early or go on.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> get_list() {
    const auto size = get<uint64_t>();
    if (size > bytes_.size() / sizeof(T)) fail();
    std::vector<T> values(size);
    if (size > 0) std::memcpy(values.data(), take(size * sizeof(T)), size * sizeof(T));
    return values;
  }
  void end() const {
    if (!bytes_.empty()) fail();
  }

 private:
  const char* take(size_t size) {
    if (size > bytes_.size()) fail();
    const char* at = bytes_.data();
    bytes_.remove_prefix(size);
    return at;
  }
  [[noreturn]] static void fail() {
    throw std::runtime_error("its saved state has a wrong size: it was written by another version, or is damaged");
  }
  std::string_view bytes_;
};

}  // namespace curriculum
