// What the curriculum decides, in words: one function a kind of decision.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace curriculum {

// Why, in both languages.
struct Cause {
  std::string en, zh;
};

// A decision of the curriculum, to be recorded by the plugin.
struct Note {
  std::string what, cause;
  std::optional<double> from, to;
  std::string en, zh;
  std::vector<std::pair<std::string, double>> fields = {};
};

// The cause of a pacing's move, and of the curriculum's own ones.
Note threshold_note(double from, double to, const std::string& cause, const std::string& cause_zh);
Note hidden_note(double max, int64_t hidden, int64_t samples, double final_release);
Note floor_note(double floor, double wish, const std::string& cause, const std::string& cause_zh);
Note warmup_over_note(double threshold);
Note review_note(double from, double share, int64_t samples, double spread, double high);
Note adversarial_note(const std::vector<int>& buckets, double share, int64_t samples);
Note oscillation_note(double swing, double factor_from, double factor_to, int64_t window_from, int64_t window_to);
Note short_run_note(const std::string& en, const std::string& zh);

// The Chinese wording of a cause that starts like one of the built-in pacings'; else the cause itself.
std::string in_chinese(const std::string& cause);

}  // namespace curriculum
