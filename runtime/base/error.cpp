#include "base/error.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace sz {
namespace {

std::atomic<AssertionHandler> g_handler = nullptr;

}  // namespace

void set_assertion_handler(AssertionHandler handler) { g_handler = handler; }

void assertion_failed(const char* file, int line, const char* what) {
  const std::string message = std::string("internal error at ") + file + ":" + std::to_string(line) + ": " + what +
                              " does not hold; please report it";
  std::fprintf(stderr, "%s\n", message.c_str());
  if (const AssertionHandler handler = g_handler) handler(message);
  std::abort();
}

}  // namespace sz
