// The run's journals: one JSON object a line, appended and flushed line by line.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
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
  std::map<std::string, Scalar> details;  // further fields of the line
};

enum class Language : uint8_t { kEnglish, kChinese };

// decisions.jsonl. The human text goes to the log in the run's language as well (log.language).
// Thread: any. An empty path writes nowhere but keeps the text in the log.
class DecisionLog {
 public:
  DecisionLog(const std::string& path, Language language);
  ~DecisionLog();
  void write(const Decision& decision);
  static std::string human(const Decision& decision, Language language);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// metrics.jsonl: a line a step, fields in the order given; NaN and infinities are written as the strings
// "nan", "inf", "-inf" (JSON has none). On resume, lines past `keep_through_attempt` are cut off first, so that no step stands twice.
class MetricsLog {
 public:
  explicit MetricsLog(const std::string& path, int64_t keep_through_attempt = -1);
  ~MetricsLog();
  void write(const std::vector<std::pair<std::string, Scalar>>& fields);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sz
