// plugins/selective_recompute with parameters that are there only while their segment runs.
#include <algorithm>
#include <cstring>

#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

const std::vector<std::string> kPolicies = {"policy = \"after_first_dropout\"", "policy = \"all\"", "policy = \"cheap\""};

// Parameters have their bytes between acquire and release alone, as a sharded residency's, and NaN otherwise.
class PoisonedResidency final : public Residency {
 public:
  explicit PoisonedResidency(std::unique_ptr<Residency> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return "poisoned"; }
  void build(const Setup& setup) override {
    inner_->build(setup);
    own_.resize(setup.model->segments.size());
  }
  TensorList acquire(int segment, Mode mode) override {
    const TensorList real = inner_->acquire(segment, mode);
    TensorList& own = own_[size_t(segment)];
    for (size_t i = own.size(); i < real.size(); ++i) {
      own.push_back(real[i].detach().clone().requires_grad_(real[i].requires_grad()));
    }
    for (size_t i = 0; i < real.size(); ++i) std::memcpy(own[i].data_ptr(), real[i].data_ptr(), real[i].nbytes());
    return own;
  }
  void release(int segment, Mode mode) override {
    for (at::Tensor& t : own_[size_t(segment)]) std::memset(t.data_ptr(), 0xFF, t.nbytes());
    inner_->release(segment, mode);
  }

  TensorList acquire_head() override { return inner_->acquire_head(); }
  void hold_all() override { inner_->hold_all(); }
  void let_go() override { inner_->let_go(); }
  void begin_step() override { inner_->begin_step(); }
  void accumulate(int segment, int micro_batch, bool last, TensorList gradients) override {
    inner_->accumulate(segment, micro_batch, last, std::move(gradients));
  }
  void finish_gradients() override { inner_->finish_gradients(); }
  GradientFacts gradient_facts() override { return inner_->gradient_facts(); }
  void for_each_unit(const std::function<void(UpdateUnit&)>& visit) override { inner_->for_each_unit(visit); }
  void parameters_updated() override { inner_->parameters_updated(); }
  bool can_restore() const override { return inner_->can_restore(); }
  void mark_stable() override { inner_->mark_stable(); }
  void restore() override { inner_->restore(); }
  void export_pieces(const std::function<void(const ExportPiece&)>& visit) override { inner_->export_pieces(visit); }
  void import_pieces(const std::function<void(const ExportPiece&)>& fill) override { inner_->import_pieces(fill); }

 private:
  std::unique_ptr<Residency> inner_;
  std::vector<TensorList> own_;
};

TEST(RecomputeSharded, ParametersAreThereWhenASegmentRunsAgain) {
  RunSpec spec;
  spec.options.steps = 5;
  const RunResult off = train(spec);
  spec.prepare = [](RankParts& parts) {
    parts.residency = std::make_unique<PoisonedResidency>(std::move(parts.residency));
  };
  for (const std::string& keys : kPolicies) {
    SCOPED_TRACE(keys);
    expect_identical(train_with(spec, recompute(keys)).arrays, off.arrays);
    const RunResult slices = train_with(spec, recompute(keys + "\nslices = 2"));
    EXPECT_LE(relative_difference(off.arrays, slices.arrays), 1e-6);
  }
}

const std::string kStage = "stage = 3\npersist_threshold = 0";

TEST(RecomputeSharded, GivesTheSameBits) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.accumulation = 2;
  const RunResult off = train_sharded(spec, kStage);
  std::vector<std::string> policies = kPolicies;
  policies.push_back("policy = \"budget\"\nmemory_mb = 0.04");
  for (const std::string& keys : policies) {
    SCOPED_TRACE(keys);
    expect_same_run(train_sharded(spec, kStage, recompute(keys)), off);
  }
}

// The highest count of live bytes in the third step beyond those at its begin; ranks are threads, whose bytes add up.
double peak_of_a_step(RunSpec spec, const std::string& plugins) {
  double peak = 0;
  spec.prepare = [&peak](RankParts& parts) {
    const bool first = parts.rank() == 0;
    auto base = std::make_shared<double>(0);
    watch(parts, {Hook::kStepBegin, Hook::kGradientsReduced}, [&peak, first, base](const HookInfo& at) {
      if (at.attempt != 3 || !first) return;
      if (at.hook == Hook::kStepBegin) {
        *base = double(allocator_stats().live_bytes);
        reset_peak();
      } else {
        peak = double(allocator_stats().peak_bytes) - *base;
      }
    });
  };
  train_sharded(spec, kStage + "\noverlap = false", plugins);
  return peak;
}

// With few tokens a step's peak is that of gathered parameters and their gradients. Running a segment again takes those
// that are gathered for its backward anyway; copies of them, or a further gathering, would show: a block's MLP is a
// twelfth of a whole copy on each rank.
TEST(RecomputeSharded, ParametersAreGoneAfterASegmentHasRunAgain) {
  RunSpec spec = spec_of(8, 128, 8, 1);
  spec.ranks = 2;
  const double copy = 8 * 12 * 128 * 128 * 4;  // of the blocks' matrices, on one rank
  const double off = peak_of_a_step(spec, "");
  ASSERT_GT(off, 0);
  ASSERT_LT(off, 1.5 * copy) << "the test's model is too small to tell";
  for (const std::string& keys : kPolicies) {
    EXPECT_LE(peak_of_a_step(spec, recompute(keys)), off + 0.1 * copy) << keys;
  }
}

// With many tokens it is that of activations, of which recompute holds fewer.
TEST(RecomputeSharded, ThePeakFallsWithActivations) {
  RunSpec spec = large_spec();
  spec.ranks = 2;
  const double off = peak_of_a_step(spec, "");
  EXPECT_LT(peak_of_a_step(spec, recompute_policy("all")), 0.7 * off);
  EXPECT_LT(peak_of_a_step(spec, recompute_policy("after_first_dropout")), 0.85 * off);
}

}  // namespace
}  // namespace sz::test
