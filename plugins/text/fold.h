// Spellings that mean the same become the same.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sz::text {

// Full-width ASCII becomes ASCII (other widths stay: NFKC would fold Chinese punctuation too), traditional characters
// become simplified ones, control characters and broken bytes become spaces, invisible marks go.
// Thread: any, once made.
class Folding {
 public:
  // Asks OpenCC's t2s conversion about each ideograph, once. Without OpenCC's tables characters stay as they are.
  static Folding traditional_to_simplified();
  Folding() = default;  // leaves traditional characters alone

  std::string fold(std::string_view text) const;
  bool knows_traditional() const { return !simplified_.empty(); }

 private:
  static constexpr char32_t kFirst = 0x4E00, kLast = 0x9FFF;
  std::vector<char16_t> simplified_;  // by code point from kFirst
};

}  // namespace sz::text
