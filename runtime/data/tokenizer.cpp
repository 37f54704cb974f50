#include "data/tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"

namespace sz {
namespace {

// SentencePiece writes a space as this character, and so would read this character back as a space.
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// "<0x41>" -> 0x41
int byte_of_piece(const std::string& piece) {
  return piece.size() == 6 ? static_cast<int>(std::stoul(piece.substr(3, 2), nullptr, 16)) : -1;
}

}  // namespace

struct Tokenizer::Impl {
  sentencepiece::SentencePieceProcessor processor;
  std::string bytes;
  std::vector<std::string> surface;  // id -> bytes it stands for
  std::vector<int32_t> mark_ids;     // tokens of the bytes of kSpaceMark; empty without byte fallback
  int32_t bos = -1, eos = -1, pad = 0, unk = 0;
  bool dummy_prefix = false;  // the model puts a space before every text

  void read_vocabulary();
  void read_control_ids(const std::string& name);
  void encode_piece(std::string_view piece, std::vector<int32_t>& ids) const;
};

void Tokenizer::Impl::read_vocabulary() {
  std::vector<int32_t> byte_ids(256, -1);
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    std::string text = processor.IdToPiece(id);
    if (processor.IsControl(id)) {
      text.clear();
    } else if (processor.IsByte(id)) {
      const int byte = byte_of_piece(text);
      byte_ids[static_cast<size_t>(byte)] = id;
      text = std::string(1, static_cast<char>(byte));
    } else {
      for (size_t at = 0; (at = text.find(kSpaceMark, at)) != std::string::npos; ++at) {
        text.replace(at, kSpaceMark.size(), " ");
      }
    }
    surface.push_back(std::move(text));
  }
  for (const char byte : kSpaceMark) {
    mark_ids.push_back(byte_ids[static_cast<unsigned char>(byte)]);
  }
  if (std::count(mark_ids.begin(), mark_ids.end(), -1) > 0) {
    mark_ids.clear();
  }
}

void Tokenizer::Impl::read_control_ids(const std::string& name) {
  bos = processor.bos_id();
  eos = processor.eos_id();
  unk = processor.unk_id();
  pad = std::max(0, processor.pad_id());
  if (bos < 0 && eos < 0) {
    throw Error(Exit::kData, "data.tokenizer: " + name +
                                 ": the model has neither a BOS nor an EOS token; train one with either, or leave "
                                 "data.tokenizer out to have one trained");
  }
  bos = bos < 0 ? eos : bos;
  eos = eos < 0 ? bos : eos;
  std::vector<int> probe;
  processor.Encode("a", &probe).IgnoreError();
  dummy_prefix = !probe.empty() && surface[static_cast<size_t>(probe[0])].rfind(' ', 0) == 0;
}

void Tokenizer::Impl::encode_piece(std::string_view piece, std::vector<int32_t>& ids) const {
  const auto append = [&](std::string_view text) {
    std::vector<int> found;
    const auto status = processor.Encode(text, &found);
    if (!status.ok()) {
      throw Error(Exit::kData, "tokenizer: " + std::string(status.message()));
    }
    ids.insert(ids.end(), found.begin(), found.end());
  };
  while (!mark_ids.empty()) {
    const size_t mark = piece.find(kSpaceMark);
    if (mark == std::string_view::npos) {
      break;
    }
    append(piece.substr(0, mark));
    ids.insert(ids.end(), mark_ids.begin(), mark_ids.end());
    piece.remove_prefix(mark + kSpaceMark.size());
  }
  append(piece);
}

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::string& path) {
  return from_bytes(read_file(path), path);
}

Tokenizer Tokenizer::from_bytes(std::string model, const std::string& name) {
  auto impl = std::make_unique<Impl>();
  const auto status = impl->processor.LoadFromSerializedProto(model);
  if (!status.ok() || impl->processor.GetPieceSize() == 0) {
    throw Error(Exit::kData, "data.tokenizer: " + name + ": not a SentencePiece model (" +
                                 std::string(status.message()) + ")");
  }
  impl->bytes = std::move(model);
  impl->read_vocabulary();
  impl->read_control_ids(name);
  return Tokenizer(std::move(impl));
}

int64_t Tokenizer::vocabulary() const { return static_cast<int64_t>(impl_->surface.size()); }
int32_t Tokenizer::bos() const { return impl_->bos; }
int32_t Tokenizer::eos() const { return impl_->eos; }
int32_t Tokenizer::pad() const { return impl_->pad; }
int32_t Tokenizer::unk() const { return impl_->unk; }
const std::string& Tokenizer::bytes() const { return impl_->bytes; }

void Tokenizer::encode(std::string_view text, const std::function<void(std::span<const int32_t>)>& take) const {
  std::vector<int32_t> ids;
  while (!text.empty()) {
    const size_t length = piece_length(text, kPieceBytes);
    ids.clear();
    impl_->encode_piece(text.substr(0, length), ids);
    take(ids);
    text.remove_prefix(length);
  }
}

void Tokenizer::encode(std::string_view text, std::vector<int32_t>& ids) const {
  encode(text, [&](std::span<const int32_t> piece) { ids.insert(ids.end(), piece.begin(), piece.end()); });
}

std::vector<int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  encode(text, ids);
  return ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    SZ_ASSERT(id >= 0 && id < vocabulary());
    text += impl_->surface[static_cast<size_t>(id)];
  }
  const bool from_start = !ids.empty() && ids[0] == impl_->bos;
  if (impl_->dummy_prefix && from_start && text.rfind(' ', 0) == 0) {
    text.erase(0, 1);
  }
  return text;
}

size_t piece_length(std::string_view text, size_t limit) {
  if (text.size() <= limit) {
    return text.size();
  }
  const std::string_view head = text.substr(0, limit);
  if (const size_t line_end = head.rfind('\n'); line_end != std::string_view::npos) {
    return line_end + 1;
  }
  if (const size_t space = head.rfind(' '); space != std::string_view::npos && space > 0) {
    return space;
  }
  size_t length = limit;
  while (length > 1 && is_continuation(text[length])) {
    --length;
  }
  return length;
}

std::string trim_to_utf8(std::string text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_continuation);
  text.erase(text.begin(), first);
  size_t last = text.size();
  while (last > 0 && is_continuation(text[last - 1])) {
    --last;
  }
  if (last == 0) {
    return {};
  }
  const auto lead = static_cast<unsigned char>(text[last - 1]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - (last - 1) < length) {
    text.resize(last - 1);
  }
  return text;
}

}  // namespace sz
