// The plugin: wraps SEGMENT_FORWARD, where a segment keeps what the plan says, and SEGMENT_BACKWARD, where it is run
// again if it kept its inputs alone.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sz/alloc.hpp>
#include <sz/around.hpp>
#include <sz/comm.hpp>
#include <sz/config.hpp>
#include <sz/decisions.hpp>
#include <sz/log.hpp>
#include <sz/metrics.hpp>
#include <sz/plugin.hpp>
#include <sz/run.hpp>
#include <sz/torch.hpp>

#include "boundary_offload.h"
#include "planner.h"

namespace recompute {

class SelectiveRecompute : public sz::Plugin, public sz::Observer, public sz::Around {
 public:
  static sz::Descriptor describe();
  explicit SelectiveRecompute(sz::Host host) : Plugin(host) {}

  void start() override;
  void stop() override { offload_.reset(); }
  void on(const sz_hook_info& info) override;
  void segment_forward(sz_segment_call* call, const sz::Next& next) override;
  void segment_backward(sz_segment_call* call, const sz::Next& next) override;

 private:
  using Clock = std::chrono::steady_clock;

  // What the plugin knows of a segment besides its name.
  struct SegmentState {
    Expected expected;
    Keep used = Keep::kAll;    // in the micro-batch under way
    bool has_cheap = false;
    double element_bytes = 0;  // of what products give; 0: not seen yet
    // Of the last forward. away: bytes of its output that offload takes, of those held.
    double held = 0, away = 0, tokens = 0, seconds = 0;
    int64_t rows = 0;
  };

  void read_config();
  void model_built(const sz_hook_info& info);
  void before_verdict();
  void at_verdict(const sz_step_facts& facts);
  void record_start();
  void record_slices();
  void record_measured();
  void record_measured(const std::string& kind, const std::vector<int>& members, double step_microseconds);
  void choose_for_the_budget();
  void take_over(const sz_step_facts& facts);
  void run_again(sz_segment_call* call, const sz_call_info& info);
  void put_away(sz_segment_call* call, const sz_call_info& info);
  void see_shape(sz_segment_call* call, const sz_call_info& info, SegmentState& segment);
  void see_dtype(sz_segment_call* call, SegmentState& segment);
  double live_bytes() const { return double(alloc_->read().live_bytes); }
  double expected_percent(int segment, Keep keep) const;
  double expected_given_back(int segment, Keep keep, double tokens) const;
  size_t pages() const { return (segments_.size() + kSegmentsANumber - 1) / kSegmentsANumber; }

  // How many segments' levels travel in one step; longer models take several.
  static constexpr size_t kNumbers = 4;

  PolicyOptions policy_;
  double budget_bytes_ = 0;
  int64_t slices_ = 1;
  double tokens_of_largest_ = 0;  // a micro-batch's rectangle as configured; 0: not known

  double element_bytes_ = 0;      // of the first segment that showed it; 0: none yet

  int64_t attempt_ = 0;  // of this process
  bool start_recorded_ = false;
  std::string fault_;  // of the policy, found at MODEL_BUILT
  std::optional<Planner> planner_;
  std::optional<Costs> costs_;
  std::vector<SegmentState> segments_;
  double again_seconds_ = 0;        // of the step under way
  double micro_batch_tokens_ = 1;   // of the largest seen
  std::vector<uint32_t> scalars_;
  std::vector<Keep> received_;
  size_t pages_received_ = 0;
  std::vector<SegmentCost> budget_costs_;
  std::optional<BudgetChoice> choice_;

  std::optional<sz::Alloc> alloc_;
  std::optional<sz::Calls> calls_;
  std::optional<sz::Tensors> tensors_;
  std::optional<sz::Torch> torch_;
  std::optional<sz::Decisions> decisions_;
  std::optional<sz::Metrics> metrics_;
  std::optional<sz::Run> run_;
  std::optional<sz::Comm> comm_;
  std::optional<sz::Log> log_;
  std::unique_ptr<BoundaryOffload> offload_;
};

}  // namespace recompute
