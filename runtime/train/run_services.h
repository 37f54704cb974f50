// What parts and plugins say to the run and to each other: events, metrics, step scalars, requests,
// evaluation groups. Each is a small board that the trainer reads at fixed points of the loop.
// Thread: main, unless said otherwise.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/journal.h"

namespace sz {

struct Event {
  std::string name;    // "gradient_instability"
  std::string source;  // plugin or part
  std::vector<std::pair<std::string, Scalar>> fields;
};

// Events are queued and delivered in order by the loop: after VERDICT (and a rollback's restore), at STEP_END
// and at EVAL_END. One raised while delivering is delivered in the same go, after those before it.
class EventQueue {
 public:
  using Listener = std::function<void(const Event&)>;
  void subscribe(const std::string& name, Listener listener);
  void publish(Event event) { queue_.push_back(std::move(event)); }
  void deliver();

 private:
  std::vector<std::pair<std::string, Listener>> listeners_;
  std::vector<Event> queue_;
};

// Named numbers of the current step; written into its line of metrics.jsonl, kept for reading afterwards.
class MetricBoard {
 public:
  void publish(const std::string& name, double value);
  bool read(const std::string& name, double& value) const;  // the last published one
  // The numbers published since the last call, by first publication.
  std::vector<std::pair<std::string, double>> take();

 private:
  std::map<std::string, double> last_;
  std::vector<std::pair<std::string, double>> fresh_;
};

// fp64 numbers that ride on VERDICT's all-reduce and come back as sums over ranks in StepFacts::scalars.
// Registered before step 0, in the same order on all ranks.
class ScalarBoard {
 public:
  int add(const std::string& name);  // asserts that registration is still open and the name new
  void set(int index, double value);
  void close() { open_ = false; }
  const std::vector<std::string>& names() const { return names_; }
  std::vector<double>& values() { return values_; }  // zeroed by the loop after each VERDICT

 private:
  bool open_ = true;
  std::vector<std::string> names_;
  std::vector<double> values_;
};

// Wishes that are carried out alike on all ranks after the next VERDICT.
struct Requests {
  bool stop = false, save = false, evaluate = false;
};

// Splits evaluation samples into groups; the map is fixed at EVAL_BEGIN.
struct EvalGrouping {
  std::string name;                            // "language"
  std::vector<std::string> groups;             // "en", "zh"
  std::function<int(int64_t sample)> group_of; // index into groups, or -1
};

struct GroupResult {
  std::string grouping, group;
  double loss = 0, tokens = 0, correct = 0;  // loss: summed over tokens
  double mean_loss() const { return loss / tokens; }
  double accuracy() const { return correct / tokens; }
};

struct EvalResult {
  int64_t step = 0;
  double loss = 0, accuracy = 0;  // token-weighted means over the split
  double tokens = 0, seconds = 0;
  std::vector<GroupResult> groups;
};

struct RunServices {
  EventQueue events;
  MetricBoard metrics;
  ScalarBoard scalars;
  Requests requests;
  std::vector<EvalGrouping> groupings;  // may be replaced at EVAL_BEGIN
};

}  // namespace sz
