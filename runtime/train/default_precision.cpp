#include "train/default_precision.h"

#include <cmath>


namespace sz {
namespace {

class DefaultPrecision final : public Precision, public Stateful {
 public:
  explicit DefaultPrecision(const DefaultPrecisionOptions& options) : options_(options) {}

  std::string name() const override { return options_.bf16 ? "bf16 autocast" : "fp32"; }

  DtypePlan plan(const ModelDeclaration& model) override {
    DtypePlan plan;
    plan.parameters.resize(model.parameters.size());
    plan.segments.resize(model.segments.size());
    for (SegmentDtypes& segment : plan.segments) segment.autocast = options_.bf16;
    return plan;
  }

  double scale() const override { return 1.0; }

  Vote judge(const StepFacts& facts) override {
    Vote vote;
    if (facts.non_finite == 0 && std::isfinite(facts.loss)) {
      bad_in_a_row_ = 0;
      return vote;
    }
    ++bad_in_a_row_;
    const std::string count = std::to_string(facts.non_finite), row = std::to_string(bad_in_a_row_);
    vote.reason = facts.non_finite > 0 ? count + " non-finite gradient elements" : "the loss is not finite";
    vote.reason_zh = facts.non_finite > 0 ? "梯度中有 " + count + " 个非有限值" : "损失不是有限值";
    vote.verdict = bad_in_a_row_ >= options_.max_bad ? Verdict::kAbort : Verdict::kSkip;
    if (vote.verdict == Verdict::kAbort) {
      vote.reason += " for " + row +
                     " attempts in a row (train.max_bad); lower optimizer.lr, set train.grad_clip, or look at the data";
      vote.reason_zh += "，已连续 " + row + " 次（train.max_bad）；请降低 optimizer.lr、设置 train.grad_clip，或检查数据";
    }
    return vote;
  }

  Stateful* stateful() override { return this; }
  std::string state_id() const override { return "default_precision"; }
  Scope scope() const override { return Scope::kCheckpoint; }
  std::string save_state() const override { return std::to_string(bad_in_a_row_); }
  void load_state(const std::string& bytes, uint32_t) override { bad_in_a_row_ = std::stoll(bytes); }

 private:
  DefaultPrecisionOptions options_;
  int64_t bad_in_a_row_ = 0;
};

}  // namespace

std::unique_ptr<Precision> make_default_precision(const DefaultPrecisionOptions& options) {
  return std::make_unique<DefaultPrecision>(options);
}

}  // namespace sz
