// Text to token ids and back, by SentencePiece.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sz {

// A tokenizer trained here (data/tokenizer_training.h) has byte fallback and normalises nothing, so that
// decode(encode(text)) == text for all UTF-8 text without NUL. A given model may normalise.
// Thread: any, all const members, at once.
class Tokenizer {
 public:
  // Errors: read_file's (base/files.h); Error(kData) for what isn't a SentencePiece model or has neither BOS nor EOS.
  static Tokenizer load(const std::string& path);
  static Tokenizer from_bytes(std::string model, const std::string& name);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  int64_t vocabulary() const;
  // Ids of the control tokens; a model that lacks one of BOS and EOS uses the other for both; pad is 0 without one.
  int32_t bos() const;
  int32_t eos() const;
  int32_t pad() const;
  int32_t unk() const;

  // Appends the tokens of `text`, without BOS and EOS. Text of any length: it is encoded in pieces of at most
  // kPieceBytes, cut after a line's end, before a space or between characters.
  void encode(std::string_view text, std::vector<int32_t>& ids) const;
  std::vector<int32_t> encode(std::string_view text) const;
  // Encodes piece by piece and hands each piece's tokens over, to hold little of a huge text's tokens.
  void encode(std::string_view text, const std::function<void(std::span<const int32_t>)>& take) const;

  // Bytes that the tokens stand for: valid UTF-8 if they begin and end with whole characters, see trim_to_utf8().
  // Control tokens stand for nothing. Ids out of range are an assertion.
  std::string decode(std::span<const int32_t> ids) const;

  // The model file's content.
  const std::string& bytes() const;

  static constexpr size_t kPieceBytes = 64 << 10;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Length of the first piece of `text`: at most `limit` bytes, cut as encode() does. Shared with training.
size_t piece_length(std::string_view text, size_t limit);

// Leaves out the bytes of characters that were cut in two at either end.
std::string trim_to_utf8(std::string text);

}  // namespace sz
