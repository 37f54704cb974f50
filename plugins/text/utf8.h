// UTF-8 in and out. Thread: any (pure functions).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sz::text {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code_point;
  uint32_t bytes;  // at least 1
};

// The code point at `offset` (< bytes.size()); kReplacement, one byte long, where the bytes are not valid UTF-8.
Decoded decode(std::string_view bytes, size_t offset);
void append(std::string& out, char32_t code_point);

// Length in code points.
size_t count_code_points(std::string_view text);

}  // namespace sz::text
