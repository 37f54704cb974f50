// Times the matrix product of a typical linear layer in a forked child.
#pragma once
#include <functional>
#include <string>

namespace sz {

struct ProbeResult {
  double gflops = 0;
  double max_error = 0;  // against double, relative to the largest element
  std::string failure;   // empty when it was measured
};

// Forks; the child calls `set_up`, uses `threads` threads for at most some 40 ms of products, and ends. It is
// killed after a time-out. Thread: main, with no other thread.
ProbeResult probe_in_child(const std::function<void()>& set_up, int threads);

}  // namespace sz
