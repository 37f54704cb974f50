#include "text/fold.h"

#include <opencc/opencc.h>

#include <memory>

#include "text/utf8.h"

namespace sz::text {
namespace {

bool is_control(char32_t cp) {
  return (cp < 0x20 && cp != '\n' && cp != '\t') || (cp >= 0x7F && cp < 0xA0) || cp == kReplacement;
}

// Zero-width marks, soft hyphen, byte order mark, variation selectors.
bool is_invisible(char32_t cp) {
  return cp == 0xAD || (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x202A && cp <= 0x202E) || cp == 0x2060 ||
         cp == 0xFEFF || (cp >= 0xFE00 && cp <= 0xFE0F);
}

}  // namespace

Folding Folding::traditional_to_simplified() {
  Folding folding;
  const opencc_t converter = opencc_open("t2s.json");
  if (converter == reinterpret_cast<opencc_t>(-1)) return folding;
  folding.simplified_.resize(kLast - kFirst + 1);
  for (char32_t cp = kFirst; cp <= kLast; ++cp) {
    std::string one;
    append(one, cp);
    char* converted = opencc_convert_utf8(converter, one.data(), one.size());
    const Decoded to = converted ? decode(converted, 0) : Decoded{cp, 1};
    folding.simplified_[cp - kFirst] = char16_t(to.code_point <= 0xFFFF ? to.code_point : cp);
    opencc_convert_utf8_free(converted);
  }
  opencc_close(converter);
  return folding;
}

std::string Folding::fold(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      out.push_back(is_control(byte) ? ' ' : text[at]);
      ++at;
      continue;
    }
    const Decoded next = decode(text, at);
    at += next.bytes;
    char32_t cp = next.code_point;
    if (is_invisible(cp)) continue;
    if (is_control(cp) || cp == 0x3000) cp = ' ';
    if (cp >= 0xFF01 && cp <= 0xFF5E) cp -= 0xFEE0;
    if (cp >= kFirst && cp <= kLast && !simplified_.empty()) cp = simplified_[cp - kFirst];
    append(out, cp);
  }
  return out;
}

}  // namespace sz::text
