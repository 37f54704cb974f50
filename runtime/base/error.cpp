#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace sz {

void assertion_failed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "internal error at %s:%d: %s does not hold\n", file, line, what);
  std::abort();
}

}  // namespace sz
