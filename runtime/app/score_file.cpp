#include "app/score_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"

namespace sz {
namespace {

constexpr uint64_t kFileMagic = 0x31455243535A5321u;     // of whole files
constexpr uint64_t kRecordMagic = 0x31434552535A5321u;  // of a journal's records

// Stands before the values and then the routes of `count` samples from `first` on. Little-endian, as all targets are.
struct Header {
  uint64_t magic, first, count, checksum;
};

std::string payload_of(const std::vector<double>& values, const std::vector<uint8_t>& routes) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  bytes.append(reinterpret_cast<const char*>(routes.data()), routes.size());
  return bytes;
}

std::string record(uint64_t magic, uint64_t first, const std::vector<double>& values,
                   const std::vector<uint8_t>& routes) {
  SZ_ASSERT(values.size() == routes.size());
  const std::string payload = payload_of(values, routes);
  const Header header = {magic, first, values.size(), xxh3_64(payload)};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + payload;
}

// The record at `offset`, or false where none stands whole. Moves the offset past it.
bool parse(const std::string& bytes, size_t& offset, uint64_t magic, Header& header, SplitScores& out) {
  if (bytes.size() - offset < sizeof header) return false;
  std::memcpy(&header, bytes.data() + offset, sizeof header);
  const size_t left = bytes.size() - offset - sizeof header;
  if (header.magic != magic || header.count > left / (sizeof(double) + 1)) return false;
  const char* const payload = bytes.data() + offset + sizeof header;
  const size_t value_bytes = header.count * sizeof(double);
  if (xxh3_64({payload, value_bytes + header.count}) != header.checksum) return false;
  out.values.resize(header.count);
  std::memcpy(out.values.data(), payload, value_bytes);
  out.routes.assign(payload + value_bytes, payload + value_bytes + header.count);
  offset += sizeof header + value_bytes + header.count;
  return true;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

std::optional<SplitScores> read_scores(const std::string& path, int64_t samples) {
  if (!exists(path)) return std::nullopt;
  const std::string bytes = read_file(path);
  size_t offset = 0;
  Header header{};
  SplitScores scores;
  if (!parse(bytes, offset, kFileMagic, header, scores)) return std::nullopt;
  if (offset != bytes.size() || int64_t(scores.values.size()) != samples) return std::nullopt;
  return scores;
}

void write_scores(const std::string& path, const SplitScores& scores) {
  write_file_atomically(path, record(kFileMagic, 0, scores.values, scores.routes));
}

ScoreJournal::ScoreJournal(const std::string& path, int64_t samples) : path_(path), known_(size_t(samples), false) {
  scores_.values.assign(size_t(samples), 0);
  scores_.routes.assign(size_t(samples), 0);
  const size_t whole = exists(path) ? read_all(read_file(path)) : 0;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw io_error("write", path, errno);
  if (::ftruncate(descriptor_, off_t(whole)) != 0 || ::lseek(descriptor_, 0, SEEK_END) < 0) {
    const int reason = errno;
    ::close(descriptor_);
    throw io_error("write", path, reason);
  }
}

ScoreJournal::~ScoreJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

size_t ScoreJournal::read_all(const std::string& bytes) {
  size_t offset = 0, whole = 0;
  Header header{};
  SplitScores run;
  while (parse(bytes, offset, kRecordMagic, header, run)) {
    if (header.first > known_.size() || header.count > known_.size() - header.first) break;
    take(int64_t(header.first), run.values, run.routes);
    whole = offset;
  }
  return whole;
}

void ScoreJournal::take(int64_t first, const std::vector<double>& values, const std::vector<uint8_t>& routes) {
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t sample = size_t(first) + i;
    scores_.values[sample] = values[i];
    scores_.routes[sample] = routes[i];
    done_ += !known_[sample];
    known_[sample] = true;
  }
}

void ScoreJournal::add(int64_t first, const std::vector<double>& values, const std::vector<uint8_t>& routes) {
  write_all(descriptor_, record(kRecordMagic, uint64_t(first), values, routes), path_);
  take(first, values, routes);
}

void ScoreJournal::remove() { ::unlink(path_.c_str()); }

}  // namespace sz
