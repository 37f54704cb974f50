// What a character is, and by which route a text is scored. Thread: any (pure functions).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sz::text {

enum class Script : uint8_t {
  kNone,   // white space, punctuation, symbols, emoji, control characters
  kLatin,  // with diacritics
  kHan,    // ideographs
  kDigit,  // of ASCII; full-width ones are folded before (text/fold.h)
  kOther,  // letters of any other script, kana and Hangul among them
};
Script script_of(char32_t code_point);

bool is_space(char32_t code_point);
char32_t lower(char32_t code_point);  // Latin alone

struct ScriptCounts {
  size_t latin = 0, han = 0, other = 0, digits = 0;  // characters
  void add(Script script);
};
ScriptCounts count_scripts(std::string_view text);

// By letters, one ideograph weighing as much as three others (about as many words).
enum class Route : uint32_t {
  kEnglish,  // four fifths or more are Latin
  kChinese,  // four fifths or more are Han
  kMixed,    // neither, nor mostly of other scripts
  kOther,    // half or more are of other scripts
  kEmpty,    // no letters: empty, digits, emoji
};
Route route_of(const ScriptCounts& counts);

// Of each Route; ends in null.
extern const char* const kRouteNames[];

}  // namespace sz::text
