// Lines of a UTF-8 text file, checked.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>

namespace sz {

// Reads line by line in bounded memory (a block and the line). Strips a byte order mark and line ends (LF or CRLF).
// Errors: Error(kData) `file:line: byte N: ...` for what isn't UTF-8 text, with what to do. Thread: one at a time.
class LineReader {
 public:
  explicit LineReader(const std::string& path);

  // False at the end of the file.
  bool next(std::string& line);

  int64_t line() const { return line_; }      // number of the line last returned, from 1
  int64_t offset() const { return offset_; }  // where it begins, in bytes of the file
  int64_t bytes_read() const { return next_offset_; }
  const std::string& path() const { return path_; }

 private:
  void strip_byte_order_mark(std::string& line);
  void check(const std::string& line) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::string block_;  // the stream's buffer: outlives it
  std::ifstream file_;
  int64_t line_ = 0, offset_ = 0, next_offset_ = 0;
};

}  // namespace sz
