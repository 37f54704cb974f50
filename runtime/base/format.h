// printf's formats as a string. Thread: any.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <string>

namespace sz {

[[gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...) {
  va_list measured, written;
  va_start(measured, pattern);
  va_copy(written, measured);
  const int length = std::vsnprintf(nullptr, 0, pattern, measured);  // negative only where the pattern is none
  std::string text(size_t(length > 0 ? length : 0), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, written);
  va_end(written);
  va_end(measured);
  return text;
}

}  // namespace sz
