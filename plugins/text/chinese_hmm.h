// Words that no dictionary has: each ideograph begins, continues or ends a word, or is one, by a hidden Markov model
// (jieba's finalseg, with its tables). Thread: any, once made.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sz::text {

class ChineseHmm {
 public:
  // Errors: ModelError.
  static ChineseHmm load(const std::string& folder);

  // For each of the ideographs (code points): whether a word ends with it.
  std::vector<bool> word_ends(const std::vector<char32_t>& run) const;

 private:
  enum State : uint8_t { kBegin, kMiddle, kEnd, kSingle };
  static constexpr char32_t kFirst = 0x4E00, kLast = 0x9FFF;
  static constexpr float kImpossible = -1e30f;
  static int state_of(const std::string& name);
  float emission(char32_t cp, int state) const;

  std::array<float, 4> start_{};
  std::array<std::array<float, 4>, 4> transition_{};
  std::vector<std::array<float, 4>> emission_;  // by code point from kFirst
};

}  // namespace sz::text
