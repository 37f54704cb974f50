// Text in any language: UTF-8, scripts, lists in messages, and "did you mean".
// Thread: any (pure functions).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sz {

// Byte offset of the first fault in `bytes`, or nothing where all is valid UTF-8. Faults are stray or missing
// continuation bytes, overlong forms, surrogates, and code points above U+10FFFF (RFC 3629).
std::optional<size_t> first_utf8_fault(std::string_view bytes);

inline constexpr char32_t kReplacement = 0xFFFD;

// Decodes the code point at `offset` (< bytes.size()) and moves `offset` past it.
// Where the bytes are not valid UTF-8, gives kReplacement and moves on by one byte.
char32_t next_code_point(std::string_view bytes, size_t& offset);
std::u32string decode_utf8(std::string_view bytes);
void append_utf8(std::string& out, char32_t code_point);  // what is no scalar value is written as kReplacement
std::string encode_utf8(std::u32string_view code_points);

bool is_cjk(char32_t cp);           // Han ideographs; neither kana, Hangul nor punctuation
bool is_kana(char32_t cp);          // Hiragana, Katakana and their half-width forms
bool is_latin_letter(char32_t cp);  // with diacritics, and full-width ones
bool is_other_letter(char32_t cp);  // letters of any other script, kana and Hangul among them (by block, so roughly)

// "zh", "en" or "other", by script:
//   zh     Han carries at least half of the text, one ideograph weighing as much as three Latin letters (about as
//          many words), and kana are less than a tenth of Han and kana together (else it is Japanese: other);
//   en     Latin letters carry at least half of it; no language is told apart within the Latin script, so that
//          German is "en" too;
//   other  all else, text without letters as well.
std::string detect_language(std::string_view utf8);

// The parts one after the other, with the separator between them.
std::string joined(const std::vector<std::string>& parts, std::string_view separator = ", ");

// Edits (insert, delete, replace, swap neighbours) from a to b, in bytes: optimal string alignment, the restricted
// Damerau-Levenshtein distance.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, first among equals; nothing where the nearest takes more edits than a third of
// the word's length (at least one).
std::optional<std::string> did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace sz
