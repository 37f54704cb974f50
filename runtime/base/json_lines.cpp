#include "base/json_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/log.h"

namespace sz {
namespace {

// Bytes of `text` up to the first line whose attempt is greater than the limit; lines without one go with those
// before them. A line that is no JSON was not written by us: kept.
size_t size_through_attempt(std::string_view text, int64_t limit) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const auto line = nlohmann::json::parse(text.substr(begin, end - begin), nullptr, /*allow_exceptions=*/false);
    const auto attempt = line.is_object() ? line.find("attempt") : line.end();
    if (attempt != line.end() && attempt->is_number() && attempt->get<int64_t>() > limit) return begin;
    begin = end + 1;
  }
  return text.size();
}

}  // namespace

JsonLines::JsonLines(std::string path, int64_t keep_through_attempt) : path_(std::move(path)) {
  make_directories(folder_of(path_));
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw io_error("write", path_, errno);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return;
  try {
    const std::string text = read_file(path_);
    const size_t last = text.rfind('\n');
    const size_t whole = last == std::string::npos ? 0 : last + 1;
    if (whole < text.size()) log::warn(path_ + ": the last line was cut short and is taken off");
    const std::string_view lines = std::string_view(text).substr(0, whole);
    size_ = static_cast<int64_t>(keep_through_attempt < 0 ? whole : size_through_attempt(lines, keep_through_attempt));
    if (static_cast<size_t>(size_) < text.size()) cut(size_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

JsonLines::~JsonLines() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void JsonLines::cut(int64_t size) {
  if (::ftruncate(descriptor_, size) != 0) throw io_error("shorten", path_, errno);
}

void JsonLines::append(const nlohmann::ordered_json& object) {
  const std::string line = object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  try {
    write_all(descriptor_, line, path_);
  } catch (...) {
    // Part of the line may be there already; should this fail too, the next opening takes it off.
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, size_);
    throw;
  }
  size_ += static_cast<int64_t>(line.size());
}

nlohmann::ordered_json to_json(const Scalar& value) {
  struct Visitor {
    nlohmann::ordered_json operator()(std::monostate) const { return nullptr; }
    nlohmann::ordered_json operator()(bool v) const { return v; }
    nlohmann::ordered_json operator()(int64_t v) const { return v; }
    nlohmann::ordered_json operator()(double v) const {
      if (std::isnan(v)) return "nan";
      if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
      return v;
    }
    nlohmann::ordered_json operator()(const std::string& v) const { return v; }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace sz
