#include "base/signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace sz {
namespace {

constexpr int64_t kOneRequestNs = 500'000'000;

std::atomic<int> first_stop{0};
std::atomic<int64_t> first_stop_ns{0};
std::atomic<bool> second_ends{true};
std::atomic<bool> save_requested{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free &&
                  std::atomic<bool>::is_always_lock_free,
              "handlers may only touch lock-free atomics");

// steady_clock's, by a call that handlers may make.
int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void on_stop(int number) {
  const int64_t now = now_ns();
  int64_t first = 0;
  if (first_stop_ns.compare_exchange_strong(first, now)) {
    first_stop.store(number == SIGINT ? SIGINT : SIGTERM);
  } else if (second_ends.load() && now - first >= kOneRequestNs) {
    ::_exit(128 + first_stop.load());
  }
}

void on_save(int) { save_requested.store(true); }

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // libraries that don't expect EINTR stay unharmed
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void install_signal_handlers(SecondStop second) {
  second_ends.store(second == SecondStop::kEnds);
  handle(SIGTERM, on_stop);
  handle(SIGINT, on_stop);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, on_stop);
  handle(SIGUSR1, on_save);
}

int stop_signal() { return first_stop.load(); }
bool take_save_request() { return save_requested.exchange(false); }

void clear_signals() {
  first_stop.store(0);
  first_stop_ns.store(0);
  save_requested.store(false);
}

}  // namespace sz
