#include "text/sentences.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace sz::text {
namespace {

bool is_full_stop(char32_t cp) { return cp == '.' || cp == 0x3002 || cp == '!' || cp == '?' || cp == 0x2026; }
bool is_closing(char32_t cp) {
  return cp == '"' || cp == '\'' || cp == ')' || cp == ']' || cp == 0x201D || cp == 0x2019 || cp == 0x300D ||
         cp == 0x300F || cp == 0x300B;
}
bool is_clause_mark(char32_t cp) {
  return cp == ',' || cp == ';' || cp == ':' || cp == 0x3001 || cp == 0x2014 || cp == 0x2013;
}

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; }

bool is_abbreviation(std::string_view word) {
  static constexpr std::array<std::string_view, 24> kKnown = {
      "mr",  "mrs", "ms",  "dr",  "prof", "st", "jr", "sr", "vs", "etc", "e.g", "i.e",
      "fig", "no",  "vol", "inc", "ltd",  "co", "cf", "al", "pp", "ed",  "gen", "approx"};
  if (word.size() == 1) return word != "I" && ((word[0] | 0x20) >= 'a' && (word[0] | 0x20) <= 'z');
  std::string folded;
  for (const char c : word) folded.push_back(ascii_lower(c));
  return std::find(kKnown.begin(), kKnown.end(), folded) != kKnown.end();
}

// Collects a piece's characters and counts its words.
class Builder {
 public:
  void add(char32_t cp) {
    if (is_space(cp)) {
      space_ = true;
      return;
    }
    const Script script = script_of(cp);
    const bool between_ideographs = last_ == Script::kHan && script == Script::kHan;
    if (space_ && !piece_.text.empty() && !between_ideographs) piece_.text.push_back(' ');
    const bool inside_word = !space_ && (last_ == script || (last_char_ == '\'' && script == Script::kLatin));
    if (script != Script::kNone && script != Script::kHan && !inside_word) ++words_;
    piece_.scripts.add(script);
    append(piece_.text, cp);
    space_ = false;
    last_ = script;
    last_char_ = cp;
  }
  size_t words() const { return words_ + (2 * piece_.scripts.han + 2) / 3; }
  std::string_view text() const { return piece_.text; }
  bool has_letters() const { return piece_.scripts.latin + piece_.scripts.han + piece_.scripts.other > 0; }

  // Moves the piece to `out` where it has a letter; begins anew either way.
  void flush(std::vector<SentencePiece>& out) {
    piece_.words = words();
    if (has_letters()) out.push_back(std::move(piece_));
    *this = Builder();
  }

 private:
  SentencePiece piece_;
  size_t words_ = 0;
  Script last_ = Script::kNone;
  char32_t last_char_ = 0;
  bool space_ = false;
};

// Whether the full stop at the end of `so_far`, before `rest`, ends a sentence.
bool stop_ends(std::string_view so_far, std::string_view rest) {
  if (!rest.empty() && !is_space(decode(rest, 0).code_point) && !is_closing(decode(rest, 0).code_point)) {
    return script_of(decode(rest, 0).code_point) == Script::kHan;
  }
  const std::string_view before = so_far.substr(0, so_far.size() - 1);
  const size_t blank = before.find_last_of(" (\"");
  return !is_abbreviation(blank == std::string_view::npos ? before : before.substr(blank + 1));
}

}  // namespace

std::vector<SentencePiece> split_sentences(std::string_view folded) {
  std::vector<SentencePiece> out;
  Builder builder;
  int newlines = 0;
  bool ended = false;  // closing marks and further stops may still follow
  for (size_t at = 0; at < folded.size();) {
    const Decoded next = decode(folded, at);
    at += next.bytes;
    const char32_t cp = next.code_point;
    newlines = cp == '\n' ? newlines + 1 : is_space(cp) ? newlines : 0;
    if (newlines == 2 || (ended && !is_closing(cp) && !is_full_stop(cp))) {
      builder.flush(out);
      ended = false;
    }
    builder.add(cp);
    if (is_full_stop(cp)) ended = cp != '.' || stop_ends(builder.text(), folded.substr(at));
  }
  builder.flush(out);
  return out;
}

std::vector<SentencePiece> split_clauses(const SentencePiece& sentence, size_t max_words) {
  if (sentence.words <= max_words) return {sentence};
  // Clauses first, then as many of them together as fit.
  std::vector<SentencePiece> out;
  Builder builder;
  size_t at = 0;
  const std::string_view text = sentence.text;
  while (at < text.size()) {
    const char32_t cp = decode(text, at).code_point;
    size_t end = at;  // of the next unit: a word with what follows it, or one character
    const bool in_word = script_of(cp) == Script::kLatin;
    do end += decode(text, end).bytes;
    while (in_word && end < text.size() && script_of(decode(text, end).code_point) == Script::kLatin);
    if (builder.words() >= max_words && script_of(cp) != Script::kNone) builder.flush(out);
    for (size_t i = at; i < end;) {
      const Decoded next = decode(text, i);
      builder.add(next.code_point);
      i += next.bytes;
    }
    at = end;
    if (is_clause_mark(cp) && 3 * builder.words() >= max_words) builder.flush(out);
  }
  builder.flush(out);
  return out;
}

}  // namespace sz::text
