#include "text/script.h"

#include "text/utf8.h"

namespace sz::text {
namespace {

bool within(char32_t cp, char32_t first, char32_t last) { return cp >= first && cp <= last; }

bool is_han(char32_t cp) {
  return within(cp, 0x4E00, 0x9FFF) || within(cp, 0x3400, 0x4DBF) || within(cp, 0xF900, 0xFAFF) ||
         within(cp, 0x20000, 0x2FA1F) || within(cp, 0x30000, 0x323AF) || cp == 0x3005 || cp == 0x3007;
}

bool is_latin(char32_t cp) {
  if (cp == 0xAA || cp == 0xBA) return true;
  if (within(cp, 0xC0, 0x24F)) return cp != 0xD7 && cp != 0xF7;
  return within(cp, 0x250, 0x2AF) || within(cp, 0x1E00, 0x1EFF) || within(cp, 0x2C60, 0x2C7F) ||
         within(cp, 0xA722, 0xA7FF) || within(cp, 0xFB00, 0xFB06);
}

// Blocks of punctuation, symbols, private use and emoji.
bool is_symbol(char32_t cp) {
  return cp < 0x300 || within(cp, 0x300, 0x36F) || within(cp, 0x2000, 0x2BFF) || within(cp, 0x2E00, 0x303F) ||
         within(cp, 0x3200, 0x33FF) || within(cp, 0xD800, 0xF8FF) || within(cp, 0xFE00, 0xFE6F) ||
         within(cp, 0xFEFF, 0xFF65) || within(cp, 0xFFE0, 0xFFFF) || within(cp, 0x1D000, 0x1FAFF) || cp >= 0xE0000;
}

}  // namespace

Script script_of(char32_t cp) {
  if (cp < 0x80) {
    if (within(cp, '0', '9')) return Script::kDigit;
    return within(cp | 0x20, 'a', 'z') ? Script::kLatin : Script::kNone;
  }
  if (is_han(cp)) return Script::kHan;
  if (is_latin(cp)) return Script::kLatin;
  return is_symbol(cp) ? Script::kNone : Script::kOther;
}

bool is_space(char32_t cp) {
  return cp == ' ' || within(cp, '\t', '\r') || cp == 0x85 || cp == 0xA0 || cp == 0x1680 ||
         within(cp, 0x2000, 0x200A) || cp == 0x2028 || cp == 0x2029 || cp == 0x202F || cp == 0x205F || cp == 0x3000;
}

char32_t lower(char32_t cp) {
  if (within(cp, 'A', 'Z')) return cp + 32;
  if (cp < 0xC0) return cp;
  if (within(cp, 0xC0, 0xDE)) return cp == 0xD7 ? cp : cp + 32;
  const bool even_is_capital = within(cp, 0x100, 0x137) || within(cp, 0x14A, 0x177) || within(cp, 0x1E00, 0x1EFF);
  if (even_is_capital) return cp | 1;
  if (within(cp, 0x139, 0x148) || within(cp, 0x179, 0x17E)) return cp + (cp & 1);
  return cp;
}

void ScriptCounts::add(Script script) {
  latin += script == Script::kLatin;
  han += script == Script::kHan;
  other += script == Script::kOther;
  digits += script == Script::kDigit;
}

ScriptCounts count_scripts(std::string_view text) {
  ScriptCounts counts;
  for (size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    counts.add(script_of(next.code_point));
    at += next.bytes;
  }
  return counts;
}

Route route_of(const ScriptCounts& counts) {
  const size_t han = 3 * counts.han;
  const size_t total = han + counts.latin + counts.other;
  if (total == 0) return Route::kEmpty;
  if (5 * counts.latin >= 4 * total) return Route::kEnglish;
  if (5 * han >= 4 * total) return Route::kChinese;
  return 2 * counts.other >= total ? Route::kOther : Route::kMixed;
}

const char* const kRouteNames[] = {"english", "chinese", "mixed", "other", "empty", nullptr};

}  // namespace sz::text
