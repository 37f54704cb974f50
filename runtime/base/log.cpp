#include "base/log.h"

#include <fcntl.h>
#include <spdlog/details/log_msg_buffer.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

namespace sz::log {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::kDebug: return spdlog::level::debug;
    case Level::kInfo: return spdlog::level::info;
    case Level::kWarn: return spdlog::level::warn;
    case Level::kError: return spdlog::level::err;
    case Level::kOff: return spdlog::level::off;
  }
  return spdlog::level::info;
}

// stderr with a status line below the messages. Each message is one write, so that ranks' lines never mix.
class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  StderrSink() : terminal_(stderr_is_seen_on_a_terminal()) { set_rank(0); }

  // Ranks other than 0 say who they are.
  void set_rank(int rank) {
    set_pattern((rank > 0 ? "[rank " + std::to_string(rank) + "] " : "") + "%H:%M:%S %^%-5l%$ %v");
  }

  void set_status(const std::string& line) {
    if (!terminal_) return;
    const std::lock_guard lock(mutex_);
    status_ = line;
    put(kEraseLine + status_);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    std::string line(text.data(), text.size());
    if (terminal_) {
      colour(line, message);
      if (!status_.empty()) line = kEraseLine + line + status_;
    }
    put(line);
  }
  void flush_() override { std::fflush(stderr); }

 private:
  static void colour(std::string& line, const spdlog::details::log_msg& message) {
    if (message.level < spdlog::level::warn) return;
    line.insert(message.color_range_end, "\033[0m");
    line.insert(message.color_range_start, message.level == spdlog::level::warn ? "\033[33m" : "\033[31m");
  }
  static void put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

  const bool terminal_;
  std::string status_;
};

// The first messages, until there is a file for them.
class HoldingSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void hand_over(spdlog::sinks::sink& file) {
    const std::lock_guard lock(mutex_);
    for (const auto& message : messages_) file.log(message);
    file.flush();
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (messages_.size() < kMost) messages_.emplace_back(message);
  }
  void flush_() override {}

 private:
  static constexpr size_t kMost = 1000;
  std::vector<spdlog::details::log_msg_buffer> messages_;
};

struct State {
  std::mutex mutex;
  std::shared_ptr<StderrSink> to_stderr = std::make_shared<StderrSink>();
  std::shared_ptr<HoldingSink> held;  // or null
  std::shared_ptr<spdlog::logger> logger;

  State() { set_logger(nullptr); }

  // `second`: a sink beside stderr, or null.
  void set_logger(spdlog::sink_ptr second) {
    spdlog::sinks_init_list only_stderr{to_stderr};
    auto made = std::make_shared<spdlog::logger>("sz", only_stderr);
    if (second) made->sinks().push_back(second);
    made->set_level(spdlog::level::debug);
    made->flush_on(spdlog::level::debug);  // whatever kills the process, the last line is there
    made->set_error_handler([](const std::string& what) { std::fprintf(stderr, "log: %s\n", what.c_str()); });
    logger = std::move(made);
  }
};

// Never destroyed: threads may still log while the process ends.
State& state() {
  static State& made = *new State;
  static const bool configured = (made.to_stderr->set_level(spdlog::level::info), true);
  (void)configured;
  return made;
}

std::shared_ptr<spdlog::logger> current() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.logger;
}

}  // namespace

void hold() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.held = std::make_shared<HoldingSink>();
  s.set_logger(s.held);
}

void open(const std::string& path, int rank, Level stderr_level) {
  spdlog::sink_ptr file;
  if (!path.empty()) {
    make_directories(folder_of(path));
    // Tried by hand first: spdlog retries, and its exceptions don't carry the reason as a number.
    const int tried = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (tried < 0) throw io_error("write the log", path, errno);
    ::close(tried);
    file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, /*truncate=*/false);
    file->set_pattern("%Y-%m-%d %H:%M:%S.%e rank " + std::to_string(rank) + " %-5l %v");
  }
  set_stderr_level(stderr_level);
  set_rank(rank);
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.set_logger(file);
  if (s.held && file) s.held->hand_over(*file);
  s.held.reset();
}

void set_stderr_level(Level level) { state().to_stderr->set_level(to_spdlog(level)); }
void set_rank(int rank) { state().to_stderr->set_rank(rank); }

// Bytes of foreign text, a model's samples among them, never make a log unreadable.
// "{}" keeps braces in a message from being taken for a format.
void write(Level level, const std::string& message) {
  const bool valid = !first_utf8_fault(message);
  current()->log(to_spdlog(level), "{}", valid ? message : encode_utf8(decode_utf8(message)));
}

void flush() { current()->flush(); }

void set_status(const std::string& line) { state().to_stderr->set_status(line); }

}  // namespace sz::log
