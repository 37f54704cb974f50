// Raises gradient_instability at one attempt, and answers the event as a curriculum would: by a lower difficulty, told
// in one sentence with the scale's change.
#include <cstdio>
#include <optional>

#include <sz/decisions.hpp>
#include <sz/events.hpp>
#include <sz/plugin.hpp>

namespace {

std::string two(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

class Instability : public sz::Plugin, public sz::Observer {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("test_instability", "1.0.0")
        .licence("Apache-2.0")
        .summary("raises and answers gradient_instability")
        .hook({SZ_VERDICT});
  }

  explicit Instability(sz::Host host) : Plugin(host) {}

  void start() override {
    decisions_.emplace(host());
    events_.emplace(host());
    events_->subscribe("gradient_instability", [this](const sz_event& event) { answer(event); });
  }

  void on(const sz_hook_info& info) override {
    if (info.attempt != 2) return;
    events_->publish("gradient_instability", {{"sigma", 0.42}, {"scale_from", 8192.0}, {"scale_to", 4096.0}});
  }

 private:
  void answer(const sz_event& event) {
    const auto number = [&](const char* name) { return *sz::number_in(event.fields, event.field_count, name); };
    const double before = difficulty_;
    difficulty_ -= 0.05;
    const std::string sigma = two(number("sigma"));
    const std::string scale = std::to_string(int64_t(number("scale_from"))) + " -> " +
                              std::to_string(int64_t(number("scale_to")));
    const std::string difficulty = two(before) + " -> " + two(difficulty_);
    decisions_->record({.what = "difficulty", .cause = "gradient variance jumped (sigma " + sigma + ")",
                        .from = before, .to = difficulty_,
                        .text_en = "gradient variance jumped (sigma " + sigma + "), scale " + scale + ", difficulty " +
                                   difficulty,
                        .text_zh = "梯度方差突增（sigma " + sigma + "），损失缩放 " + scale + "，难度 " + difficulty});
  }

  double difficulty_ = 0.70;
  std::optional<sz::Decisions> decisions_;
  std::optional<sz::Events> events_;
};

}  // namespace

SZ_REGISTER_PLUGIN(Instability, sz::Observer)
