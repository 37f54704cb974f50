#include "ops/matrix_probe.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/cpu_time.h"
#include "base/rng.h"
#include "ops/threads.h"

namespace sz {

namespace {

constexpr int64_t kRows = 512, kIn = 384, kOut = 1536;
constexpr double kSeconds = 0.06;    // of timed products: 0.025 chose a slow route in 7 of 36 runs on a quiet machine
constexpr int kTimeoutMs = 5000;     // a loaded machine may keep the child waiting

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

at::Tensor uniform(int64_t rows, int64_t cols, uint64_t key) {
  at::Tensor t = at::empty({rows, cols}, at::kFloat);
  auto* p = t.mutable_data_ptr<float>();
  for (int64_t i = 0; i < rows * cols; i += 4) {
    const Philox4 words = philox(key, uint64_t(i), 0);
    for (int k = 0; k < 4; ++k) p[i + k] = float(to_unit(words[size_t(k)]) * 2 - 1);
  }
  return t;
}

// Over a few rows: an error of a route shows in all.
double error_of(const at::Tensor& x, const at::Tensor& w, const at::Tensor& y) {
  const auto *px = x.const_data_ptr<float>(), *pw = w.const_data_ptr<float>(), *py = y.const_data_ptr<float>();
  double worst = 0, largest = 0;
  for (int64_t r = 0; r < kRows; r += kRows / 4) {
    for (int64_t c = 0; c < kOut; c += 3) {
      double exact = 0;
      for (int64_t k = 0; k < kIn; ++k) exact += double(px[r * kIn + k]) * double(pw[c * kIn + k]);
      worst = std::max(worst, std::abs(double(py[r * kOut + c]) - exact));
      largest = std::max(largest, std::abs(exact));
    }
  }
  return std::isfinite(worst) && largest > 0 ? worst / largest : 1;
}

void measure(int threads, double numbers[2]) {
  at::NoGradGuard no_grad;
  set_intra_op_threads(threads);
  const at::Tensor x = uniform(kRows, kIn, 1), w = uniform(kOut, kIn, 2);
  numbers[1] = error_of(x, w, at::linear(x, w));  // the first product also warms up
  double best = 1e30;
  const double end = now() + kSeconds;
  for (int run = 0; run < 3 || (now() < end && run < 50); ++run) {
    const double start = thread_cpu_seconds();  // it takes its part in every product
    at::linear(x, w);
    best = std::min(best, thread_cpu_seconds() - start);
  }
  numbers[0] = 2e-9 * double(kRows * kIn * kOut) / best;
}

[[noreturn]] void child(const std::function<void()>& set_up, int threads, int pipe) {
  int status = 1;
  try {
    set_up();
    double numbers[2];
    measure(threads, numbers);
    if (write(pipe, numbers, sizeof numbers) == ssize_t(sizeof numbers)) status = 0;
  } catch (...) {
  }
  _exit(status);
}

std::string wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return "its trial ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "its trial failed";
}

}  // namespace

ProbeResult probe_in_child(const std::function<void()>& set_up, int threads) {
  ProbeResult result;
  int ends[2];
  if (pipe(ends) != 0) {
    result.failure = "no pipe";
    return result;
  }
  const pid_t pid = fork();
  if (pid == 0) child(set_up, threads, ends[1]);
  close(ends[1]);
  double numbers[2] = {0, 0};
  pollfd ready{ends[0], POLLIN, 0};
  int polled = 0;
  if (pid > 0) {
    while ((polled = poll(&ready, 1, kTimeoutMs)) < 0 && errno == EINTR) {
    }
  }
  const bool complete = polled > 0 && read(ends[0], numbers, sizeof numbers) == ssize_t(sizeof numbers);
  close(ends[0]);
  if (pid < 0) {
    result.failure = "no child process";
    return result;
  }
  if (polled == 0) kill(pid, SIGKILL);
  result.failure = wait_for(pid);
  if (polled == 0) result.failure = "its trial didn't end in time";
  if (result.failure.empty() && !complete) result.failure = "its trial gave no answer";
  result.gflops = numbers[0];
  result.max_error = numbers[1];
  return result;
}

}  // namespace sz
