#include "base/text.h"

#include <algorithm>

namespace sz {
namespace {

struct Decoded {
  char32_t code_point;
  size_t length;  // 0: not valid
};

Decoded decode_one(std::string_view bytes, size_t offset) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(offset);
  if (lead < 0x80) return {lead, 1};
  size_t length = 0;
  char32_t smallest = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    smallest = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3;
    smallest = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    smallest = 0x10000;
  }
  if (length == 0 || offset + length > bytes.size()) return {kReplacement, 0};
  char32_t cp = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(offset + i) & 0xC0) != 0x80) return {kReplacement, 0};
    cp = cp << 6 | (byte(offset + i) & 0x3F);
  }
  const bool surrogate = cp >= 0xD800 && cp <= 0xDFFF;
  if (cp < smallest || cp > 0x10FFFF || surrogate) return {kReplacement, 0};
  return {cp, length};
}

bool within(char32_t cp, char32_t first, char32_t last) { return cp >= first && cp <= last; }

}  // namespace

std::optional<size_t> first_utf8_fault(std::string_view bytes) {
  size_t offset = 0;
  while (offset < bytes.size()) {
    const size_t length = decode_one(bytes, offset).length;
    if (length == 0) return offset;
    offset += length;
  }
  return std::nullopt;
}

char32_t next_code_point(std::string_view bytes, size_t& offset) {
  const Decoded decoded = decode_one(bytes, offset);
  offset += std::max<size_t>(decoded.length, 1);
  return decoded.code_point;
}

std::u32string decode_utf8(std::string_view bytes) {
  std::u32string out;
  out.reserve(bytes.size());
  for (size_t offset = 0; offset < bytes.size();) out.push_back(next_code_point(bytes, offset));
  return out;
}

void append_utf8(std::string& out, char32_t cp) {
  if (cp > 0x10FFFF || within(cp, 0xD800, 0xDFFF)) cp = kReplacement;
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

std::string encode_utf8(std::u32string_view code_points) {
  std::string out;
  for (const char32_t cp : code_points) append_utf8(out, cp);
  return out;
}

bool is_cjk(char32_t cp) {
  return within(cp, 0x4E00, 0x9FFF) || within(cp, 0x3400, 0x4DBF) || within(cp, 0xF900, 0xFAFF) ||
         within(cp, 0x20000, 0x2FA1F) || within(cp, 0x30000, 0x323AF) || cp == 0x3005 || cp == 0x3007;
}

bool is_kana(char32_t cp) {
  return within(cp, 0x3041, 0x309F) || within(cp, 0x30A1, 0x30FA) || within(cp, 0x30FC, 0x30FF) ||
         within(cp, 0x31F0, 0x31FF) || within(cp, 0xFF66, 0xFF9D);
}

bool is_latin_letter(char32_t cp) {
  if (within(cp, 'A', 'Z') || within(cp, 'a', 'z')) return true;
  if (cp < 0xAA) return false;
  if (cp == 0xAA || cp == 0xBA) return true;
  if (within(cp, 0xC0, 0x24F)) return cp != 0xD7 && cp != 0xF7;
  return within(cp, 0x250, 0x2AF) || within(cp, 0x1E00, 0x1EFF) || within(cp, 0x2C60, 0x2C7F) ||
         within(cp, 0xA722, 0xA7FF) || within(cp, 0xFB00, 0xFB06) || within(cp, 0xFF21, 0xFF3A) ||
         within(cp, 0xFF41, 0xFF5A);
}

bool is_other_letter(char32_t cp) {
  if (cp < 0x370 || is_cjk(cp) || is_latin_letter(cp)) return false;
  const bool symbols = within(cp, 0x2000, 0x2BFF) || within(cp, 0x2E00, 0x303F) || within(cp, 0x3200, 0x33FF) ||
                       within(cp, 0xD800, 0xF8FF) || within(cp, 0xFE00, 0xFE4F) || within(cp, 0xFE50, 0xFE6F) ||
                       within(cp, 0xFEFF, 0xFF20) || within(cp, 0xFF3B, 0xFF40) || within(cp, 0xFF5B, 0xFF65) ||
                       within(cp, 0xFFE0, 0xFFFF) || within(cp, 0x1D000, 0x1FAFF) || cp >= 0xE0000;
  return !symbols;
}

std::string detect_language(std::string_view utf8) {
  size_t han = 0, kana = 0, latin = 0, other = 0;
  for (size_t offset = 0; offset < utf8.size();) {
    const char32_t cp = next_code_point(utf8, offset);
    if (is_latin_letter(cp)) {
      ++latin;
    } else if (is_cjk(cp)) {
      ++han;
    } else if (is_other_letter(cp)) {
      ++other;
      kana += is_kana(cp);
    }
  }
  const size_t weighted_han = 3 * han;
  const size_t total = weighted_han + latin + other;
  if (total == 0) return "other";
  if (2 * weighted_han >= total && 10 * kana < han + kana) return "zh";
  if (2 * latin >= total) return "en";
  return "other";
}

size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the one before last is for swapped neighbours.
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::optional<std::string> did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  const std::string* best = nullptr;
  size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (!best) return std::nullopt;
  return *best;
}

}  // namespace sz
