// How far a long piece of work is, with the time still to go: a line that redraws itself on a terminal; elsewhere a
// log line each tenth of the work, never sooner than some seconds after the last.
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace sz {

// "8 s", "2 min 05 s", "3 h 07 min", "2 d 04 h"; "?" for what is negative or no number.
std::string format_duration(double seconds);

struct ProgressOptions {
  int64_t start = 0;                 // done before this process began (a resumed run)
  double seconds_between_lines = 10;  // where stderr is no terminal
  bool enabled = true;               // ranks other than 0 pass false
  // For tests: else stderr's own nature, a steady clock in seconds, the log.
  int terminal = -1;
  std::function<double()> clock;
  std::function<void(const std::string& line, bool status)> put;
};

// Thread: any.
class Progress {
 public:
  // `label` starts each line ("training", "tokenizing"); `total` <= 0 where it is not known.
  Progress(std::string label, int64_t total, ProgressOptions options = {});
  ~Progress();  // takes the line off the terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total`; `text` is the caller's ("loss 3.21"). Cheap: draws ten times a second at most.
  void update(int64_t done, const std::string& text = "");
  void finish(const std::string& text = "");  // says that all is done and how long it took
  void stop(const std::string& text = "");    // the same where something is left

 private:
  void end(const std::string& how, const std::string& text);
  std::string line(int64_t done, const std::string& text, double now) const;

  std::mutex mutex_;
  const std::string label_;
  const int64_t total_;
  ProgressOptions options_;
  bool terminal_ = false, drawn_ = false, finished_ = false;
  double began_ = 0, last_drawn_ = 0;
  int64_t last_tenth_ = 0;
};

}  // namespace sz
