#include "base/signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/error.h"

namespace sz {
namespace {

std::atomic<int> first_stop{0};
std::atomic<int> interrupts{0};
std::atomic<bool> save_requested{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "handlers may only touch lock-free atomics");

void on_stop(int number) {
  if (number == SIGINT && interrupts.fetch_add(1) > 0) ::_exit(static_cast<int>(Exit::kInterrupted));
  int none = 0;
  first_stop.compare_exchange_strong(none, number);
}

void on_save(int) { save_requested.store(true); }

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // libraries that don't expect EINTR stay unharmed
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  handle(SIGTERM, on_stop);
  handle(SIGINT, on_stop);
  handle(SIGUSR1, on_save);
}

int stop_signal() { return first_stop.load(); }
bool take_save_request() { return save_requested.exchange(false); }

void clear_signals() {
  first_stop.store(0);
  interrupts.store(0);
  save_requested.store(false);
}

}  // namespace sz
