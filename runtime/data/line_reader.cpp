#include "data/line_reader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

constexpr size_t kBlockBytes = 1 << 20;

std::string hex(unsigned char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02X", byte);
  return text;
}

// Names UTF-16 by its byte order mark, or, without one, by ASCII whose every other byte is NUL.
const char* utf16_name(const std::string& line) {
  if (line.rfind("\xFF\xFE", 0) == 0) {
    return "UTF-16LE";
  }
  if (line.rfind("\xFE\xFF", 0) == 0) {
    return "UTF-16BE";
  }
  if (line.size() >= 4 && line[0] != 0 && line[1] == 0 && line[2] != 0 && line[3] == 0) {
    return "UTF-16LE";
  }
  if (line.size() >= 4 && line[0] == 0 && line[1] != 0 && line[2] == 0 && line[3] != 0) {
    return "UTF-16BE";
  }
  return nullptr;
}

}  // namespace

LineReader::LineReader(const std::string& path) : path_(path), block_(kBlockBytes, '\0') {
  file_.rdbuf()->pubsetbuf(block_.data(), static_cast<std::streamsize>(block_.size()));
  file_.open(path, std::ios::binary);
  if (!file_) {
    throw Error(Exit::kData, path + ": can't be opened: " + std::strerror(errno));
  }
}

bool LineReader::next(std::string& line) {
  if (!std::getline(file_, line)) {
    if (file_.bad()) {
      throw Error(Exit::kData, path_ + ": reading failed at byte " + std::to_string(next_offset_));
    }
    return false;
  }
  offset_ = next_offset_;
  next_offset_ += static_cast<int64_t>(line.size()) + (file_.eof() ? 0 : 1);
  if (++line_ == 1) {
    strip_byte_order_mark(line);
  }
  if (!line.empty() && line.back() == '\r') {
    line.pop_back();
  }
  check(line);
  return true;
}

void LineReader::strip_byte_order_mark(std::string& line) {
  if (const char* name = utf16_name(line)) {
    fail("byte 1: not UTF-8 but " + std::string(name) +
         "; convert it: iconv -f utf-16 -t utf-8 " + path_ + " > NEWFILE");
  }
  if (line.rfind("\xEF\xBB\xBF", 0) == 0) {
    line.erase(0, 3);
    offset_ = 3;
  }
}

void LineReader::check(const std::string& line) const {
  if (const size_t at = line.find('\0'); at != std::string::npos) {
    fail("byte " + std::to_string(at + 1) + ": a NUL byte; this is not a text file, take it out of data.paths");
  }
  if (const auto at = first_utf8_fault(line)) {
    fail("byte " + std::to_string(*at + 1) + ": not UTF-8 (" + hex(static_cast<unsigned char>(line[*at])) +
         "); convert the file, for example: iconv -f gb18030 -t utf-8 " + path_ + " > NEWFILE");
  }
}

void LineReader::fail(const std::string& what) const {
  throw Error(Exit::kData, path_ + ":" + std::to_string(line_) + ": " + what);
}

}  // namespace sz
