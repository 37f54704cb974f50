#include "base/journal.h"

#include <mutex>

#include "base/json_lines.h"
#include "base/log.h"

namespace sz {
namespace {

std::unique_ptr<JsonLines> open_lines(const std::string& path, int64_t keep_through_attempt) {
  return path.empty() ? nullptr : std::make_unique<JsonLines>(path, keep_through_attempt);
}

bool is_set(const Scalar& value) { return !std::holds_alternative<std::monostate>(value); }

std::string plain(const Scalar& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const nlohmann::ordered_json json = to_json(value);
  return json.is_string() ? json.get<std::string>() : json.dump();
}

// The sentence without step and plugin, which stand in fields of their own.
std::string sentence_en(const Decision& d) {
  if (!d.text_en.empty()) return d.text_en;
  std::string out = d.what;
  if (is_set(d.from)) out += " from " + plain(d.from);
  if (is_set(d.to)) out += " to " + plain(d.to);
  if (!d.cause.empty()) out += ": " + d.cause;
  return out;
}

std::string sentence_zh(const Decision& d) {
  if (!d.text_zh.empty()) return d.text_zh;
  std::string out = d.what;
  if (is_set(d.from) && is_set(d.to)) {
    out += " 由 " + plain(d.from) + " 改为 " + plain(d.to);
  } else if (is_set(d.from)) {
    out += " 原为 " + plain(d.from);
  } else if (is_set(d.to)) {
    out += " 设为 " + plain(d.to);
  }
  if (!d.cause.empty()) out += "，原因：" + d.cause;
  return out;
}

nlohmann::ordered_json to_json(const Decision& d) {
  nlohmann::ordered_json line = {{"step", d.step},   {"attempt", d.attempt},    {"plugin", d.plugin},
                                 {"what", d.what},   {"cause", d.cause},        {"from", sz::to_json(d.from)},
                                 {"to", sz::to_json(d.to)}};
  line["text_en"] = sentence_en(d);
  line["text_zh"] = sentence_zh(d);
  for (const auto& [name, value] : d.details) line[line.contains(name) ? "details." + name : name] = sz::to_json(value);
  return line;
}

}  // namespace

struct DecisionLog::Impl {
  Language language;
  std::mutex mutex;
  std::unique_ptr<JsonLines> lines;
  bool holds = false;  // open() is still to come
  std::vector<nlohmann::ordered_json> held;
};

DecisionLog::DecisionLog(Language language) : impl_(std::make_unique<Impl>()) {
  impl_->language = language;
  impl_->holds = true;
}

DecisionLog::DecisionLog(const std::string& path, Language language, int64_t keep_through_attempt)
    : DecisionLog(language) {
  open(path, keep_through_attempt);
}

DecisionLog::~DecisionLog() = default;

void DecisionLog::open(const std::string& path, int64_t keep_through_attempt) {
  const std::lock_guard lock(impl_->mutex);
  impl_->lines = open_lines(path, keep_through_attempt);
  impl_->holds = false;
  for (const auto& line : std::exchange(impl_->held, {})) {
    if (impl_->lines) impl_->lines->append(line);
  }
}

void DecisionLog::write(const Decision& decision) {
  log::info(human(decision, impl_->language));
  const std::lock_guard lock(impl_->mutex);
  if (impl_->holds) impl_->held.push_back(to_json(decision));
  if (impl_->lines) impl_->lines->append(to_json(decision));
}

std::string DecisionLog::human(const Decision& d, Language language) {
  const std::string step = std::to_string(d.step);
  if (language == Language::kChinese) return "第 " + step + " 步，" + d.plugin + "：" + sentence_zh(d);
  return "step " + step + ", " + d.plugin + ": " + sentence_en(d);
}

struct MetricsLog::Impl {
  std::unique_ptr<JsonLines> lines;
};

MetricsLog::MetricsLog(const std::string& path, int64_t keep_through_attempt)
    : impl_(std::make_unique<Impl>(Impl{open_lines(path, keep_through_attempt)})) {}

MetricsLog::~MetricsLog() = default;

void MetricsLog::write(const std::vector<std::pair<std::string, Scalar>>& fields) {
  if (!impl_->lines) return;
  nlohmann::ordered_json line = nlohmann::ordered_json::object();
  for (const auto& [name, value] : fields) line[name] = sz::to_json(value);
  impl_->lines->append(line);
}

}  // namespace sz
