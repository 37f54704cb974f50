// Runs the model segment by segment and drives backward itself: it detaches at every boundary, keeps the boundary
// tensors and goes through the segments backwards, so that hooks fire on the main thread at exact places, residency
// knows when a segment is done, and recompute is "run forward again, then next".
#pragma once
#include <utility>
#include <vector>

#include "train/hooks.h"
#include "train/slots.h"

namespace sz {

struct PassOutput {
  at::Tensor token_loss;     // [rows, cols] fp32
  at::Tensor token_correct;  // [rows, cols] uint8
};

// Parameter gradients that segments formed in 16 bits.
struct Underflow {
  int64_t entries = 0;  // elements, but for those of embedding and position tables
  int64_t zeros = 0;    // of them exactly 0: for the most part too small for the dtype
};

// One micro-batch at a time; between forward() in mode kTrain and backward() the batch must stay alive.
// Errors: what segments and wrappers throw, with the segment's name put before it.
class SegmentRunner {
 public:
  struct Parts {
    const ModelDeclaration* model = nullptr;
    Residency* residency = nullptr;
    HookTable* hooks = nullptr;
    DtypePlan dtypes;
    uint64_t seed = 0;
  };
  explicit SegmentRunner(Parts parts);

  // token_weight: rows * cols of the batch, fp32; 0 leaves a token out. Modes: kTrain, kEvaluate.
  // `at` gives the place in the run that hooks see.
  PassOutput forward(HookInfo at, const MicroBatch& batch, const std::vector<float>& token_weight, Mode mode);
  // After forward() in mode kTrain: hands every segment's parameter gradients to residency.
  void backward(HookInfo at, const MicroBatch& batch, bool last);

  // {ids} through all segments but the loss, then the head, in mode kGenerate: logits [rows, cols, vocabulary].
  at::Tensor logits(const at::Tensor& ids, KeyValueCache* cache, int64_t past);

  // Of all backward passes since the last call, on this rank.
  Underflow take_underflow() { return std::exchange(underflow_, {}); }

  // Forgets what a pass that was broken off has kept.
  void clear() { calls_.clear(); }

 private:
  // What a wrapper chain needs: the wrappers of one hook, outermost first.
  using Chain = std::vector<Wrapper*>;

  SegmentCall make_call(int segment, Mode mode, const MicroBatch& batch) const;
  void cast_boundary(SegmentCall& call, size_t boundary) const;
  void run_forward(SegmentCall& call) const;
  void run_backward(SegmentCall& call) const;
  void recompute(SegmentCall& call, size_t inside) const;
  void run_backward_by_rows(SegmentCall& call) const;
  void forward_through(size_t depth, SegmentCall& call) const;
  void backward_through(size_t depth, SegmentCall& call) const;
  void segment_forward(HookInfo& at, SegmentCall& call);
  void segment_backward(HookInfo& at, SegmentCall& call, bool last);
  void count_underflow(const SegmentCall& call);

  Parts parts_;
  Chain forward_chain_, backward_chain_;
  Underflow underflow_;
  std::vector<SegmentCall> calls_;  // of the micro-batch between forward and backward
};

}  // namespace sz
