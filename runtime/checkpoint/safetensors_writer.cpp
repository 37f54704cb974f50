#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "checkpoint/file.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/safetensors_dtype.h"
#include "base/hash.h"

namespace sz {

namespace {

constexpr int64_t kLengthField = 8;
constexpr int64_t kAlignment = 64;  // of the first tensor; the format asks for 8

int64_t round_up(int64_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

struct SafetensorsWriter::Impl {
  Impl(const std::string& path, int64_t reserve) : file(path), data_start(round_up(std::max(reserve, kLengthField))) {}

  std::string header_text() const;
  void move_data(int64_t new_start);

  OutputFile file;
  int64_t data_start;               // where the tensors' bytes begin, for now
  int64_t written = 0;              // bytes of tensors so far
  std::vector<TensorInfo> tensors;  // begin and end count from data_start
  std::map<std::string, std::string> metadata;
  Xxh3 hash;
};

std::string SafetensorsWriter::Impl::header_text() const {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  for (const TensorInfo& t : tensors) {
    SZ_ASSERT(!header.contains(t.name));
    header[t.name] = {{"dtype", safetensors_name(t.dtype)}, {"shape", t.shape}, {"data_offsets", {t.begin, t.end}}};
  }
  return header.dump();
}

// Back to front, so that nothing is overwritten before it was moved.
void SafetensorsWriter::Impl::move_data(int64_t new_start) {
  std::vector<char> buffer(size_t(std::min<int64_t>(written, 4 << 20)));
  for (int64_t end = written; end > 0;) {
    const int64_t n = std::min<int64_t>(end, int64_t(buffer.size()));
    file.read_at(data_start + end - n, buffer.data(), size_t(n));
    file.write_at(new_start + end - n, buffer.data(), size_t(n));
    end -= n;
  }
  data_start = new_start;
}

SafetensorsWriter::SafetensorsWriter(const std::string& path, int64_t reserve)
    : impl_(std::make_unique<Impl>(path, reserve)) {}
SafetensorsWriter::~SafetensorsWriter() = default;
SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&&) noexcept = default;
SafetensorsWriter& SafetensorsWriter::operator=(SafetensorsWriter&&) noexcept = default;

void SafetensorsWriter::set_metadata(const std::string& key, const std::string& value) {
  impl_->metadata[key] = value;
}

void SafetensorsWriter::begin(const std::string& name, DType dtype, const std::vector<int64_t>& shape) {
  Impl& w = *impl_;
  SZ_ASSERT(w.tensors.empty() || w.tensors.back().end == w.written);  // the last one is complete
  SZ_ASSERT(name != "__metadata__");
  const int64_t count = count_elements(shape);
  SZ_ASSERT(count >= 0);
  w.tensors.push_back({name, dtype, shape, w.written, w.written + count * int64_t(size_of(dtype))});
}

void SafetensorsWriter::append(const void* bytes, size_t count) {
  Impl& w = *impl_;
  SZ_ASSERT(!w.tensors.empty() && int64_t(count) <= w.tensors.back().end - w.written);
  w.file.write_at(w.data_start + w.written, bytes, count);
  w.hash.update(bytes, count);
  w.written += int64_t(count);
}

SafetensorsWriter::Summary SafetensorsWriter::finish() {
  Impl& w = *impl_;
  SZ_ASSERT(w.tensors.empty() || w.tensors.back().end == w.written);
  const std::string text = w.header_text();
  const int64_t needed = kLengthField + int64_t(text.size());
  if (needed > w.data_start) w.move_data(round_up(needed));

  // JSON may end in spaces, which is how the format pads.
  std::string header(size_t(w.data_start), ' ');
  const uint64_t length = uint64_t(w.data_start - kLengthField);
  for (int i = 0; i < 8; ++i) header[size_t(i)] = char(length >> (8 * i) & 0xFF);
  std::memcpy(header.data() + kLengthField, text.data(), text.size());
  w.file.write_at(0, header.data(), header.size());
  w.file.sync_and_close();

  Summary summary;
  summary.header_bytes = int64_t(header.size());
  summary.data_bytes = w.written;
  summary.header_hash = xxh3_64(header);
  summary.data_hash = w.hash.digest_64();
  return summary;
}

}  // namespace sz
