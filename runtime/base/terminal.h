// Whether what is written to stderr is seen on a terminal: its own, or through the launcher, which passes a rank's
// stderr on and says so by SZ_PROGRESS=tty.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sz {

inline bool stderr_is_seen_on_a_terminal() {
  const char* const said = std::getenv("SZ_PROGRESS");
  return ::isatty(STDERR_FILENO) == 1 || (said && std::string_view(said) == "tty");
}

}  // namespace sz
