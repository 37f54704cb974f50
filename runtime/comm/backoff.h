// How the communication thread waits for messages: hard for a moment, since most are short and near, then
// ever more gently, since compute threads need the core.
#pragma once
#include <chrono>
#include <thread>

namespace sz {

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline void relax_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class Backoff {
 public:
  // Call after each look at the world; `moved`: something had happened.
  void pause(bool moved) {
    const double now = steady_seconds();
    if (moved) {
      last_move_ = now;
      return;
    }
    const double idle = now - last_move_;
    if (idle < kSpin) {
      relax_cpu();
    } else if (idle < kYield) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(idle < kDoze ? std::chrono::microseconds(20) : std::chrono::microseconds(100));
    }
  }

 private:
  static constexpr double kSpin = 50e-6;
  static constexpr double kYield = 150e-6;
  static constexpr double kDoze = 2e-3;

  double last_move_ = 0;
};

}  // namespace sz
