// Typed values of decisions and events.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sz/base.h>

namespace sz::inline sdk {

class Value {
 public:
  Value() = default;
  Value(bool x) : value_(x) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Value(T x) : value_(int64_t(x)) {}
  template <std::floating_point T>
  Value(T x) : value_(double(x)) {}
  Value(std::string x) : value_(std::move(x)) {}
  Value(const char* x) : value_(std::string(x)) {}

  // Lent as long as this object.
  sz_value c() const {
    if (const auto* x = std::get_if<bool>(&value_)) return sz_bool_value(*x);
    if (const auto* x = std::get_if<int64_t>(&value_)) return sz_int(*x);
    if (const auto* x = std::get_if<double>(&value_)) return sz_float(*x);
    if (const auto* x = std::get_if<std::string>(&value_)) return sz_text(x->c_str());
    return sz_none();
  }

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string> value_;
};

struct Field {
  std::string name;
  Value value;
};

namespace detail {

// Lent as long as `fields`.
inline std::vector<sz_field> to_c(const std::vector<Field>& fields) {
  std::vector<sz_field> out;
  for (const auto& field : fields) out.push_back({field.name.c_str(), field.value.c()});
  return out;
}

}  // namespace detail

// A number (int or float) among an event's or decision's fields.
inline std::optional<double> number_in(const sz_field* fields, uint64_t count, std::string_view name) {
  for (uint64_t i = 0; i < count; ++i) {
    if (name != fields[i].name) continue;
    if (fields[i].value.type == SZ_VALUE_FLOAT) return fields[i].value.as.number;
    if (fields[i].value.type == SZ_VALUE_INT) return double(fields[i].value.as.integer);
  }
  return std::nullopt;
}

}  // namespace sz::inline sdk
