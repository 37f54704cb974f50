// Text as pieces: words of letters, single Chinese characters, and what lies between them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace curriculum {

struct Piece {
  enum class Kind { kWord, kChinese, kOther };  // kWord: letters of any other script
  Kind kind = Kind::kOther;
  std::vector<std::string> characters;  // UTF-8 each

  std::string text() const;
};

// In order; together they are the text. `text` is valid UTF-8; a byte that isn't becomes a piece of its own.
std::vector<Piece> split_pieces(std::string_view text);
std::string join(const std::vector<Piece>& pieces);

}  // namespace curriculum
