// Numbers in the texts of decisions.
#pragma once
#include <cstdio>
#include <string>

namespace curriculum {

inline std::string format_number(const char* pattern, double value) {
  char text[40];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}
inline std::string number(double value) { return format_number("%.4g", value); }
inline std::string percent(double share) { return format_number("%.0f%%", 100 * share); }

}  // namespace curriculum
