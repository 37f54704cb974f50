#include "base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/log.h"
#include "base/terminal.h"

namespace sz {
namespace {

constexpr double kSecondsBetweenDraws = 0.1;

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void put_to_log(const std::string& line, bool status) {
  if (status) {
    log::set_status(line);
  } else {
    log::info(line);
  }
}

}  // namespace

std::string format_duration(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const long long s = std::llround(seconds);
  char text[48];
  if (s < 60) {
    std::snprintf(text, sizeof text, "%lld s", s);
  } else if (s < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", s / 60, s % 60);
  } else if (s < 48 * 3600) {
    std::snprintf(text, sizeof text, "%lld h %02lld min", s / 3600, s % 3600 / 60);
  } else {
    std::snprintf(text, sizeof text, "%lld d %02lld h", s / 86400, s % 86400 / 3600);
  }
  return text;
}

Progress::Progress(std::string label, int64_t total, ProgressOptions options)
    : label_(std::move(label)), total_(total), options_(std::move(options)) {
  terminal_ = options_.terminal < 0 ? stderr_is_seen_on_a_terminal() : options_.terminal != 0;
  if (!options_.clock) options_.clock = steady_seconds;
  if (!options_.put) options_.put = put_to_log;
  began_ = last_drawn_ = options_.clock();
  if (total_ > 0) last_tenth_ = 10 * options_.start / total_;
}

Progress::~Progress() {
  if (drawn_) options_.put("", true);
}

std::string Progress::line(int64_t done, const std::string& text, double now) const {
  std::string out = label_ + " " + std::to_string(done);
  if (total_ > 0) {
    char percent[16];
    std::snprintf(percent, sizeof percent, " %3.0f%%", std::floor(100.0 * double(done) / double(total_)));
    out += "/" + std::to_string(total_) + percent;
  }
  if (!text.empty()) out += "  " + text;
  // The rate is this process's own: what a resumed run had done before says nothing about the time to go.
  const int64_t here = done - options_.start;
  if (total_ > 0 && here > 0 && done < total_) {
    const double left = (now - began_) / double(here) * double(total_ - done);
    out += "  " + format_duration(left) + " to go";
  }
  return out;
}

void Progress::update(int64_t done, const std::string& text) {
  if (!options_.enabled) return;
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  const double now = options_.clock();
  if (terminal_) {
    if (drawn_ && now - last_drawn_ < kSecondsBetweenDraws) return;
    options_.put(line(done, text, now), true);
    drawn_ = true;
  } else {
    const int64_t tenth = total_ > 0 ? 10 * done / total_ : last_tenth_ + 1;
    if (tenth <= last_tenth_ || now - last_drawn_ < options_.seconds_between_lines) return;
    options_.put(line(done, text, now), false);
    last_tenth_ = tenth;
  }
  last_drawn_ = now;
}

void Progress::finish(const std::string& text) { end("done in", text); }

void Progress::stop(const std::string& text) { end("stopped after", text); }

void Progress::end(const std::string& how, const std::string& text) {
  if (!options_.enabled) return;
  const std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true)) return;
  if (std::exchange(drawn_, false)) options_.put("", true);
  std::string out = label_ + " " + how + " " + format_duration(options_.clock() - began_);
  if (!text.empty()) out += "  " + text;
  options_.put(out, false);
}

}  // namespace sz
