#include "pieces.h"

#include <cstdint>

namespace curriculum {
namespace {

size_t length_at(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const size_t length = byte < 0x80 ? 1 : byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  return std::min(length, text.size() - at);
}

uint32_t code_of(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    case 3: return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    default: return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
  }
}

bool is_chinese(uint32_t c) {
  return (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

// Letters of European scripts, which is what texts mixed with Chinese hold.
bool is_letter(uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7) ||
         (c >= 0x370 && c <= 0x52F);
}

Piece::Kind kind_of(uint32_t c) {
  if (is_chinese(c)) return Piece::Kind::kChinese;
  return is_letter(c) ? Piece::Kind::kWord : Piece::Kind::kOther;
}

}  // namespace

std::string Piece::text() const {
  std::string text;
  for (const std::string& character : characters) text += character;
  return text;
}

std::vector<Piece> split_pieces(std::string_view text) {
  std::vector<Piece> pieces;
  for (size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, length_at(text, at));
    at += character.size();
    const Piece::Kind kind = kind_of(code_of(character));
    if (pieces.empty() || pieces.back().kind != kind || kind == Piece::Kind::kChinese) pieces.push_back({kind, {}});
    pieces.back().characters.emplace_back(character);
  }
  return pieces;
}

std::string join(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += piece.text();
  return text;
}

}  // namespace curriculum
