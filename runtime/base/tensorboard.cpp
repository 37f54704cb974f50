#include "base/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/files.h"

namespace sz {
namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr size_t kFrame = 16;  // bytes of a record besides its message

// Protocol buffers' wire types, and the fields of Event, Summary, Summary.Value and SessionLog that are used.
enum Wire : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
enum Field : uint64_t {
  kEventWallTime = 1, kEventStep = 2, kEventVersion = 3, kEventSummary = 5, kEventSession = 7,
  kSummaryValue = 1, kValueTag = 1, kValueNumber = 2, kSessionStatus = 1
};
constexpr uint64_t kSessionStart = 1;

std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
    table[i] = crc;
  }
  return table;
}

uint32_t masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

template <class T>
void put_fixed(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out.push_back(char(value | 128));
  out.push_back(char(value));
}

void put_key(std::string& out, Field field, Wire wire) { put_varint(out, field << 3 | wire); }

void put_bytes(std::string& out, Field field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string event_of(int64_t step) {
  std::string event;
  put_key(event, kEventWallTime, kFixed64);
  put_fixed(event, now());
  put_key(event, kEventStep, kVarint);
  put_varint(event, uint64_t(step));
  return event;
}

std::string framed(const std::string& message) {
  std::string record;
  put_fixed(record, uint64_t(message.size()));
  put_fixed(record, masked_crc(record));
  record += message;
  put_fixed(record, masked_crc(message));
  return record;
}

// The step of an event that this file wrote: time, then step; nothing for the version's.
std::optional<int64_t> step_of(std::string_view event) {
  size_t at = 9;  // after the time
  if (event.size() <= at || uint8_t(event[at]) != (kEventStep << 3 | kVarint)) return std::nullopt;
  uint64_t step = 0;
  for (int shift = 0; ++at < event.size() && shift < 64; shift += 7) {
    step |= uint64_t(event[at] & 127) << shift;
    if (!(event[at] & 128)) return int64_t(step);
  }
  return std::nullopt;
}

// Bytes up to the end of the last whole record whose step is at most `keep`.
size_t size_through_step(std::string_view file, int64_t keep) {
  size_t kept = 0;
  for (size_t at = 0; at + kFrame <= file.size();) {
    uint64_t length = 0;
    std::memcpy(&length, file.data() + at, sizeof length);
    if (length > file.size() - at - kFrame) break;
    const auto step = step_of(file.substr(at + 12, length));
    at += kFrame + length;
    if (!step || *step <= keep) kept = at;
  }
  return kept;
}

std::string newest_file(const std::string& folder) {
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kPrefix, 0) == 0) newest = std::max(newest, name);
  }
  return newest;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = make_crc_table();
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = table[(crc ^ uint8_t(byte)) & 255] ^ crc >> 8;
  return ~crc;
}

TensorBoardLog::TensorBoardLog(const std::string& folder, int64_t keep_through_step) {
  make_directories(folder);
  const std::string old = keep_through_step >= 0 ? newest_file(folder) : "";
  path_ = folder + "/" + (old.empty() ? std::string(kPrefix) + std::to_string(int64_t(now())) + ".socratic_zero" : old);
  if (!old.empty()) size_ = int64_t(size_through_step(read_file(path_), keep_through_step));
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw io_error("write", path_, errno);
  try {
    if (::ftruncate(descriptor_, size_) != 0) throw io_error("shorten", path_, errno);
    if (size_ > 0) return;
    std::string version;
    put_key(version, kEventWallTime, kFixed64);
    put_fixed(version, now());
    put_bytes(version, kEventVersion, "brain.Event:2");
    append(version);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

TensorBoardLog::~TensorBoardLog() { ::close(descriptor_); }

void TensorBoardLog::write(int64_t step, const Values& values) {
  std::string summary;
  for (const auto& [tag, number] : values) {
    std::string value;
    put_bytes(value, kValueTag, tag);
    put_key(value, kValueNumber, kFixed32);
    put_fixed(value, float(number));
    put_bytes(summary, kSummaryValue, value);
  }
  std::string event = event_of(step);
  put_bytes(event, kEventSummary, summary);
  append(event);
}

void TensorBoardLog::take_back(int64_t step) {
  std::string session;
  put_key(session, kSessionStatus, kVarint);
  put_varint(session, kSessionStart);
  std::string event = event_of(step);
  put_bytes(event, kEventSession, session);
  append(event);
}

void TensorBoardLog::append(const std::string& event) {
  const std::string record = framed(event);
  try {
    write_all(descriptor_, record, path_);
  } catch (...) {
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, size_);
    throw;
  }
  size_ += int64_t(record.size());
}

}  // namespace sz
