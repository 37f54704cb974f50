#include "text/words.h"

#include "text/utf8.h"

namespace sz::text {
namespace {

bool ascii_alnum(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }
bool address_char(char c) { return ascii_alnum(c) || c == '.' || c == '_' || c == '-' || c == '+' || c == '%'; }
bool ends_sentence(char32_t cp) {
  return cp == '.' || cp == '!' || cp == '?' || cp == 0x3002 || cp == 0xFF01 || cp == 0xFF1F;
}

// Reads words off a folded text.
class Scanner {
 public:
  Scanner(Words& out, const ChineseSegmenter& segmenter) : out_(out), text_(out.folded), segmenter_(segmenter) {}

  void scan() {
    while (at_ < text_.size()) {
      const Decoded next = decode(text_, at_);
      const Script script = script_of(next.code_point);
      if (script == Script::kNone) {
        note_gap(next);
      } else if (const size_t end = address_end(); end > 0) {
        take(end, WordKind::kAddress);
      } else if (script == Script::kHan) {
        take_han();
      } else if (script == Script::kDigit) {
        take(number_end(), WordKind::kNumber);
      } else {
        take(letters_end(script), script == Script::kLatin ? WordKind::kLatin : WordKind::kOther);
      }
    }
  }

 private:
  Script script_at(size_t at) const {
    return at < text_.size() ? script_of(decode(text_, at).code_point) : Script::kNone;
  }

  void note_gap(const Decoded& next) {
    newlines_ = next.code_point == '\n' ? newlines_ + 1 : is_space(next.code_point) ? newlines_ : 0;
    if (ends_sentence(next.code_point) || newlines_ == 2) sentence_start_ = true;
    at_ += next.bytes;
  }

  // NAME@HOST.HOST from here, or 0. Names are ASCII, so that Chinese characters beside an address don't join it.
  size_t address_end() const {
    size_t at = at_;
    while (at < text_.size() && address_char(text_[at])) ++at;
    if (at == at_ || at >= text_.size() || text_[at] != '@') return 0;
    const size_t host = ++at;
    while (at < text_.size() && (ascii_alnum(text_[at]) || text_[at] == '-' || text_[at] == '.')) ++at;
    while (at > host && !ascii_alnum(text_[at - 1])) --at;
    return text_.substr(host, at - host).find('.') == std::string_view::npos ? 0 : at;
  }

  size_t number_end() const {
    size_t at = at_;
    for (;;) {
      while (script_at(at) == Script::kDigit) ++at;
      const bool joins = at < text_.size() && (text_[at] == '.' || text_[at] == ',');
      if (!joins || script_at(at + 1) != Script::kDigit) return at;
      ++at;
    }
  }

  size_t letters_end(Script script) const {
    size_t at = at_;
    for (;;) {
      while (at < text_.size() && script_at(at) == script) at += decode(text_, at).bytes;
      if (script != Script::kLatin || at >= text_.size()) return at;
      const Decoded mark = decode(text_, at);
      const bool apostrophe = mark.code_point == '\'' || mark.code_point == 0x2019;
      if (!apostrophe || script_at(at + mark.bytes) != Script::kLatin) return at;
      at += mark.bytes;
    }
  }

  void put(std::string_view word, WordKind kind) {
    out_.words.push_back({word, kind, PartOfSpeech::kOther, sentence_start_});
    sentence_start_ = false;
    newlines_ = 0;
  }
  void take(size_t end, WordKind kind) {
    for (size_t at = at_; at < end;) {
      const Decoded next = decode(text_, at);
      if (kind != WordKind::kAddress) out_.scripts.add(script_of(next.code_point));
      at += next.bytes;
    }
    put(text_.substr(at_, end - at_), kind);
    at_ = end;
  }
  void take_han() {
    size_t end = at_;
    for (; end < text_.size() && script_at(end) == Script::kHan; ++out_.scripts.han) end += decode(text_, end).bytes;
    pieces_.clear();
    segmenter_.cut(text_.substr(at_, end - at_), pieces_);
    std::string_view before;
    for (const std::string_view word : pieces_) {
      put(word, WordKind::kHan);
      out_.words.back().part = segmenter_.part_of(word, before);
      before = word;
    }
    at_ = end;
  }

  Words& out_;
  const std::string_view text_;
  const ChineseSegmenter& segmenter_;
  std::vector<std::string_view> pieces_;
  size_t at_ = 0;
  int newlines_ = 0;
  bool sentence_start_ = true;
};

}  // namespace

std::string term_of(const Word& word) {
  if (word.kind == WordKind::kNumber) return "#";
  if (word.kind == WordKind::kAddress) return "@";
  if (word.kind != WordKind::kLatin) return std::string(word.text);
  std::string term;
  for (size_t at = 0; at < word.text.size();) {
    const Decoded next = decode(word.text, at);
    append(term, next.code_point == 0x2019 ? U'\'' : lower(next.code_point));
    at += next.bytes;
  }
  return term;
}

WordSplitter WordSplitter::load(const std::string& models) {
  WordSplitter splitter;
  splitter.folding_ = Folding::traditional_to_simplified();
  splitter.segmenter_ = ChineseSegmenter::load(models + "/jieba");
  splitter.tagger_ = EnglishTagger::load(models + "/english_tagger/tagger.json");
  return splitter;
}

std::unique_ptr<Words> WordSplitter::split(std::string_view text) const {
  auto words = std::make_unique<Words>();
  words->folded = folding_.fold(text);
  Scanner(*words, segmenter_).scan();
  return words;
}

std::unique_ptr<Words> WordSplitter::split_and_tag(std::string_view text) const {
  std::unique_ptr<Words> words = split(text);
  tag_english(*words);
  return words;
}

// Neighbouring Latin words of one sentence are tagged together.
void WordSplitter::tag_english(Words& words) const {
  std::vector<Word>& all = words.words;
  for (size_t i = 0; i < all.size();) {
    if (all[i].kind != WordKind::kLatin) {
      ++i;
      continue;
    }
    std::vector<std::string_view> sentence;
    size_t end = i;
    do sentence.push_back(all[end++].text);
    while (end < all.size() && all[end].kind == WordKind::kLatin && !all[end].starts_sentence);
    const std::vector<PartOfSpeech> parts = tagger_.parts(sentence);
    for (size_t k = 0; k < parts.size(); ++k) all[i + k].part = parts[k];
    i = end;
  }
}

}  // namespace sz::text
