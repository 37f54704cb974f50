#include "base/signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <tuple>

namespace sz {
namespace {

// In processes of their own: the handlers belong to the whole process.
template <class Check>
void in_child(const Check& check, int code, SecondStop second = SecondStop::kEnds) {
  EXPECT_EXIT(
      {
        install_signal_handlers(second);
        clear_signals();
        std::_Exit(check() ? 0 : 1);
      },
      ::testing::ExitedWithCode(code), "");
}

// Longer than signals that come together are taken for one request.
void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(600)); }

TEST(SignalsDeathTest, StopsAreRequests) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    in_child([number] {
      if (stop_signal() != 0) return false;
      std::raise(number);
      return stop_signal() == (number == SIGINT ? SIGINT : SIGTERM);
    }, 0);
  }
}

// As `timeout` sends SIGTERM twice, and a closing shell SIGHUP.
TEST(SignalsDeathTest, ABurstIsOneRequest) {
  in_child([] {
    for (const int number : {SIGTERM, SIGTERM, SIGHUP, SIGINT}) std::raise(number);
    return stop_signal() == SIGTERM;
  }, 0);
}

TEST(SignalsDeathTest, ASecondRequestEndsAtOnce) {
  for (const auto& [first, second, code] : {std::tuple(SIGTERM, SIGTERM, 143), std::tuple(SIGINT, SIGINT, 130),
                                           std::tuple(SIGINT, SIGTERM, 130), std::tuple(SIGHUP, SIGINT, 143)}) {
    in_child([first = first, second = second] {
      std::raise(first);
      let_time_pass();
      std::raise(second);
      return true;
    }, code);
  }
}

TEST(SignalsDeathTest, TheSecondRequestCanBeLeftToALauncher) {
  in_child([] {
    std::raise(SIGTERM);
    let_time_pass();
    std::raise(SIGTERM);
    std::raise(SIGINT);
    return stop_signal() == SIGTERM;
  }, 0, SecondStop::kIgnored);
}

// nohup ignores SIGHUP before it starts the program.
TEST(SignalsDeathTest, AnIgnoredHangUpStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        install_signal_handlers();
        std::raise(SIGHUP);
        std::_Exit(stop_signal() == 0 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
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
