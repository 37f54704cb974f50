#include "base/signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace sz {
namespace {

// In processes of their own: the handlers belong to the whole process.
template <class Check>
void in_child(const Check& check, int code) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        clear_signals();
        std::_Exit(check() ? 0 : 1);
      },
      ::testing::ExitedWithCode(code), "");
}

TEST(SignalsDeathTest, TerminateAsksToStopAndGoesOn) {
  in_child([] {
    if (stop_signal() != 0) return false;
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    std::raise(SIGINT);
    return stop_signal() == SIGTERM;
  }, 0);
}

TEST(SignalsDeathTest, FirstInterruptAsksSecondEnds) {
  in_child([] {
    std::raise(SIGINT);
    return stop_signal() == SIGINT;
  }, 0);
  in_child([] {
    std::raise(SIGINT);
    std::raise(SIGINT);
    return true;
  }, 130);
}

TEST(SignalsDeathTest, SaveRequestsAreTakenOnce) {
  in_child([] {
    if (take_save_request()) return false;
    std::raise(SIGUSR1);
    std::raise(SIGUSR1);
    return take_save_request() && !take_save_request() && stop_signal() == 0;
  }, 0);
}

}  // namespace
}  // namespace sz
