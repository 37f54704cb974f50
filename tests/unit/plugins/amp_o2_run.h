// Whole runs with amp_o2 on thread ranks.
#pragma once
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "unit/plugins/sharded_run.h"

namespace sz::test {

// Everything goes to a precision that somebody else owns.
class LentPrecision final : public Precision {
 public:
  explicit LentPrecision(Precision& owner) : owner_(owner) {}
  std::string name() const override { return owner_.name(); }
  DtypePlan plan(const ModelDeclaration& model) override { return owner_.plan(model); }
  double scale() const override { return owner_.scale(); }
  Vote judge(const StepFacts& facts) override { return owner_.judge(facts); }
  Stateful* stateful() override { return owner_.stateful(); }

 private:
  Precision& owner_;
};

struct AmpRun {
  RunSpec spec;
  std::string keys;          // of [plugins.amp_o2], a line each
  std::string more;          // further tables
  std::string only_amp_loads; // the state that amp_o2 gets on resume instead of its own; empty: its own
  std::function<void(RankParts&)> prepare;

  AmpRun() {
    spec.ranks = 2;
    spec.options.steps = 12;
    spec.options.stable_after = 3;
    spec.schedule.lr = 1e-3;
    spec.schedule.decay_type = "constant";
  }
};

// Puts bytes in the place of what a checkpoint holds for somebody.
class OtherState final : public Stateful {
 public:
  OtherState(Stateful& owner, std::string bytes) : owner_(owner), bytes_(std::move(bytes)) {}
  std::string state_id() const override { return owner_.state_id(); }
  Scope scope() const override { return owner_.scope(); }
  std::string save_state() const override { return owner_.save_state(); }
  void load_state(const std::string&, uint32_t version) override { owner_.load_state(bytes_, version); }

 private:
  Stateful& owner_;
  std::string bytes_;
};

class PrecisionWithOtherState final : public Precision {
 public:
  PrecisionWithOtherState(Precision& owner, std::string bytes)
      : owner_(owner), state_(*owner.stateful(), std::move(bytes)) {}
  std::string name() const override { return owner_.name(); }
  DtypePlan plan(const ModelDeclaration& model) override { return owner_.plan(model); }
  double scale() const override { return owner_.scale(); }
  Vote judge(const StepFacts& facts) override { return owner_.judge(facts); }
  Stateful* stateful() override { return &state_; }

 private:
  Precision& owner_;
  OtherState state_;
};

struct AmpResult {
  RunResult run;
  std::vector<nlohmann::json> decisions;  // the plugins', rank 0's
  std::string state;                      // amp_o2's, at the end
};

inline AmpResult train_amp(const AmpRun& amp) {
  const TemporaryFolder folder;
  const std::string log = folder / "plugins.jsonl";
  AmpResult result;
  std::mutex mutex;
  RunSpec spec = amp.spec;
  spec.prepare = [&](RankParts& parts) {
    const auto limit = spec.options.grad_clip;
    const std::string clip = limit ? "[train]\ngrad_clip = " + std::to_string(*limit) + "\n" : "";
    RankPlugins* const plugins =
        use_plugins(parts, "[plugins.amp_o2]\nenabled = true\n" + amp.keys + "\n" + amp.more + clip, log);
    Precision* const owner = plugins->host.precision();
    if (owner && amp.only_amp_loads.empty()) parts.precision = std::make_unique<LentPrecision>(*owner);
    if (owner && !amp.only_amp_loads.empty()) {
      parts.precision = std::make_unique<PrecisionWithOtherState>(*owner, amp.only_amp_loads);
    }
    for (Stateful* state : plugins->host.states()) {
      if (state->state_id() != "amp_o2") parts.states.push_back(state);
    }
    if (amp.prepare) amp.prepare(parts);
  };
  spec.finish = [&](RankParts& parts, Trainer&) {
    const std::lock_guard lock(mutex);
    if (parts.rank() == 0 && parts.precision->stateful()) result.state = parts.precision->stateful()->save_state();
  };
  result.run = train(spec);
  result.decisions = json_lines(log);
  return result;
}

inline std::string bad_gradient(const std::string& keys) {
  return "[plugins.test_bad_gradient]\nenabled = true\n" + keys + "\n";
}

// Multiplies the gradient of the second segment's first parameter by `factor` at the attempts given.
class Spoiler final : public Wrapper {
 public:
  Spoiler(std::shared_ptr<const int64_t> attempt, std::set<int64_t> attempts, double factor)
      : attempt_(std::move(attempt)), attempts_(std::move(attempts)), factor_(factor) {}
  std::string name() const override { return "spoiler"; }
  bool wraps(Hook hook) const override { return hook == Hook::kSegmentBackward; }
  void segment_backward(SegmentCall& call, const Next& next) override {
    next();
    if (call.segment == 1 && attempts_.contains(*attempt_)) call.gradients.parameters[0].mul_(factor_);
  }

 private:
  std::shared_ptr<const int64_t> attempt_;  // under way
  std::set<int64_t> attempts_;
  double factor_;
};

// On this rank; unlike bad_gradient() at attempts that need not follow each other.
inline void spoil(RankParts& parts, std::set<int64_t> attempts, double factor) {
  const auto attempt = std::make_shared<int64_t>(0);
  watch(parts, {Hook::kStepBegin}, [attempt](const HookInfo& info) { *attempt = info.attempt; }, "spoil");
  parts.hooks.wrap(std::make_shared<Spoiler>(attempt, std::move(attempts), factor));
}

inline std::vector<std::string> verdicts(const AmpResult& result) {
  std::vector<std::string> found;
  for (const nlohmann::json& line : with(result.run.metrics, "verdict")) found.push_back(line.at("verdict"));
  return found;
}

// The plugins' decisions named `what`.
inline std::vector<nlohmann::json> told(const AmpResult& result, const std::string& what) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& line : result.decisions) {
    if (line.at("what") == what) found.push_back(line);
  }
  return found;
}

}  // namespace sz::test
