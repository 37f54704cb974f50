#include "text/utf8.h"

namespace sz::text {

Decoded decode(std::string_view bytes, size_t offset) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[offset + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  uint32_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if ((lead & 0xF0) == 0xE0) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0 || offset + length > bytes.size()) return {kReplacement, 1};
  char32_t cp = lead & (0x7F >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kReplacement, 1};
    cp = cp << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && cp < 0x800) || (length == 4 && cp < 0x10000);
  const bool surrogate = cp >= 0xD800 && cp <= 0xDFFF;
  if (overlong || surrogate || cp > 0x10FFFF) return {kReplacement, 1};
  return {cp, length};
}

void append(std::string& out, char32_t cp) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (cp < 0x80) {
    put(cp);
  } else if (cp < 0x800) {
    put(0xC0 | cp >> 6);
    put(0x80 | (cp & 0x3F));
  } else if (cp < 0x10000) {
    put(0xE0 | cp >> 12);
    put(0x80 | (cp >> 6 & 0x3F));
    put(0x80 | (cp & 0x3F));
  } else {
    put(0xF0 | cp >> 18);
    put(0x80 | (cp >> 12 & 0x3F));
    put(0x80 | (cp >> 6 & 0x3F));
    put(0x80 | (cp & 0x3F));
  }
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += decode(text, at).bytes) ++count;
  return count;
}

}  // namespace sz::text
