// The run's journals: one JSON object a line, handed to the system line by line, so that a killed process loses
// nothing. A last line that a crash or a full disk cut short is cut off when the file is opened again.
// Errors of opening and writing: those of io_error (base/files.h): path, reason, what to do; a full disk is
// kExhausted and leaves the file at its last whole line.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sz {

using Scalar = std::variant<std::monostate, bool, int64_t, double, std::string>;

// A logged choice with its cause. `text_en`/`text_zh` are whole sentences for people; where one is empty it is
// composed from the other fields in that language.
struct Decision {
  int64_t step = 0, attempt = 0;
  std::string plugin;  // or the runtime's part: "loop", "residency", "precision", "sampler", "ops", "data"
  std::string what;    // "loss_scale"
  std::string cause;
  Scalar from, to;
  std::string text_en, text_zh;
  std::map<std::string, Scalar> details;  // further fields of the line; a name already taken gets "details." before it
};

enum class Language : uint8_t { kEnglish, kChinese };

// decisions.jsonl. The human text goes to the log in the run's language as well (log.language).
// Thread: any. An empty path writes nowhere but keeps the text in the log.
class DecisionLog {
 public:
  // keep_through_attempt: as MetricsLog's.
  DecisionLog(const std::string& path, Language language, int64_t keep_through_attempt = -1);
  // Touches no file before open(): decisions are kept until then, and lost where it never comes.
  explicit DecisionLog(Language language);
  ~DecisionLog();
  void open(const std::string& path, int64_t keep_through_attempt = -1);
  void write(const Decision& decision);
  // "step 7, amp_o2: loss_scale from 8192 to 4096: gradient variance jumped", or the decision's own sentence.
  static std::string human(const Decision& decision, Language language);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// metrics.jsonl: a line a step, fields in the order given; NaN and infinities are written as the strings
// "nan", "inf", "-inf" (JSON has none).
class MetricsLog {
 public:
  // On resume, the first line whose "attempt" is greater than `keep_through_attempt` and all after it are cut off
  // first, so that no step stands twice; negative keeps all. An empty path writes nowhere. Thread: any.
  explicit MetricsLog(const std::string& path, int64_t keep_through_attempt = -1);
  ~MetricsLog();
  void write(const std::vector<std::pair<std::string, Scalar>>& fields);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sz
