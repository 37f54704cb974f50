// The only list of hooks, drawn once; train/trainer.cpp reads like it.
//
//   RUN_BEGIN
//     MODEL_DECLARED      MODEL_BUILT      OPTIMIZER_BUILT      STATE_LOADED (on resume)
//     EPOCH_BEGIN
//       STEP_BEGIN
//         BATCH_READY
//         per micro-batch:
//           SEGMENT_FORWARD   around, first segment to last (the last one is the loss)
//           LOSS
//           SEGMENT_BACKWARD  around, last segment to first
//         GRADIENTS_REDUCED
//         VERDICT
//         OPTIMIZER_STEP      around, or STEP_SKIPPED(reason)
//       STEP_END
//       EVAL_BEGIN (BATCH_READY SEGMENT_FORWARD LOSS)* EVAL_END     CHECKPOINT_SAVED
//     EPOCH_END
//   RUN_END | RUN_FAILED(reason)     SIGNAL
//
// A roll back takes the run back to a place in this list, its stable state: STEP_SKIPPED says why, STEP_END has that
// state's step, and what follows it there comes again, EPOCH_END and EPOCH_BEGIN as well (with keep_data_position the
// data, and so the epoch, go on instead). A resumed run goes on, after STATE_LOADED, where its checkpoint stands: an
// epoch that was under way does not begin again, one that was over still ends.
//
// Observers see a point and return; the three `around` hooks are wrapped by Wrappers, who call next().
// Thread: the rank's main thread. Nothing that a hook is given outlives the call.
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/micro_batch.h"
#include "data/plan.h"
#include "model/declaration.h"

namespace sz {

enum class Hook : uint8_t {
  kRunBegin = 0, kModelDeclared, kModelBuilt, kOptimizerBuilt, kStateLoaded, kEpochBegin, kStepBegin, kBatchReady,
  kSegmentForward, kLoss, kSegmentBackward, kGradientsReduced, kVerdict, kOptimizerStep, kStepSkipped, kStepEnd,
  kEvalBegin, kEvalEnd, kCheckpointSaved, kEpochEnd, kRunEnd, kRunFailed, kSignal,
};
inline constexpr int kHookCount = 23;
const char* name_of(Hook hook);  // "RUN_BEGIN"

struct StepFacts;
struct EvalResult;

// What is true at the point where a hook fires; pointers are null where a field has no meaning there.
struct HookInfo {
  Hook hook = Hook::kRunBegin;
  int64_t step = 0;     // applied steps so far
  int64_t attempt = 0;  // 1 for the first try; never goes back
  int64_t epoch = 0;    // 0 for the first
  int micro_batch = -1, micro_batches = 0;
  int segment = -1;
  const char* segment_name = nullptr;
  Mode mode = Mode::kTrain;
  int64_t global_tokens = 0;              // BATCH_READY and later
  double lr = 0;                          // OPTIMIZER_STEP, STEP_END
  const Plan* plan = nullptr;             // BATCH_READY .. STEP_END
  const MicroBatch* batch = nullptr;      // SEGMENT_*, LOSS, and BATCH_READY of evaluation
  const float* token_loss = nullptr;      // LOSS: [rows, cols] of batch
  const uint8_t* token_correct = nullptr; // LOSS
  const StepFacts* facts = nullptr;       // VERDICT .. STEP_END
  ModelDeclaration* model = nullptr;      // MODEL_DECLARED (may be changed there alone), MODEL_BUILT
  const EvalResult* eval = nullptr;       // EVAL_END
  const char* path = nullptr;             // CHECKPOINT_SAVED
  const char* reason = nullptr;           // STEP_SKIPPED, RUN_FAILED
  int signal = 0;                         // SIGNAL
};

// Watches. Throwing disables the observer on every rank at the next VERDICT; the run goes on as if it had never been.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual std::string name() const = 0;
  virtual void on(const HookInfo& info) = 0;
};

// One run of a segment, forward or backward, as its wrappers see it.
struct SegmentCall {
  SegmentContext context;
  int segment = 0;
  const SegmentDeclaration* declaration = nullptr;
  TensorList parameters;  // a wrapper may substitute them before next()
  TensorList inputs;      // detached at the segment's boundary
  bool keep_graph = true; // forward: false runs the segment without a graph and saves nothing
  TensorList outputs;     // forward: after next(); backward: what forward kept
  TensorList saved;       // of a hand-written backward
  TensorList grad_outputs;             // backward
  SegmentGradients gradients;          // backward, after next(); a wrapper may replace .parameters
  bool graph_kept = false;             // backward: whether outputs/saved can be differentiated
  // Backward: runs the segment again through the wrappers inside the caller, in mode kRecompute, without observers,
  // keeping its graph; then next() differentiates that. Set by the runner; dies with the call.
  std::function<void()> forward_again;
  // Backward: instead of forward_again(), lets next() do that for one chunk of rows after the other, so that what the
  // segment keeps exists for one chunk at a time; gradients of parameters are summed over chunks. A segment that has
  // no rows to cut is run again whole.
  std::function<void(int chunks)> forward_again_by_rows;
  int row_chunks = 1;            // asked for by forward_again_by_rows
  std::vector<TensorList> parameters_given;  // the runner's: by wrapper of forward, what it was handed
  size_t row_chunks_inside = 0;  // the runner's: the first wrapper inside the one that asked
};

using Next = std::function<void()>;

// Wraps the three around hooks. Defaults pass through. An exception ends the attempt as an error of this wrapper.
class Wrapper {
 public:
  virtual ~Wrapper() = default;
  virtual std::string name() const = 0;
  virtual bool wraps(Hook hook) const = 0;
  virtual void segment_forward(SegmentCall& call, const Next& next) { next(); }
  virtual void segment_backward(SegmentCall& call, const Next& next) { next(); }
  virtual void optimizer_step(const HookInfo& info, const Next& next) { next(); }
};

// Who is called where, in load-plan order. Counts and times each observer's calls. Reading a clock twice costs more than
// the rest of a call: where there are many calls that take under a microsecond each, about one of 16 is timed, at
// irregular places, and stands for those before it.
class HookTable {
 public:
  struct Entry {
    std::shared_ptr<Observer> observer;
    uint64_t mask = 0;      // bit per Hook
    bool failed = false;    // here, since the last VERDICT
    bool disabled = false;  // everywhere
    std::string failed_in;  // "STEP_END", or "event NAME" for a listener; here
    std::string error;      // what it said
    uint64_t calls = 0;
    double seconds = 0;       // exact for dear or rare calls, else an estimate
    uint32_t untimed = 0;     // calls to come before one is timed again
    uint32_t stands_for = 1;  // calls that the next timed one counts as
  };

  void observe(std::shared_ptr<Observer> observer, std::initializer_list<Hook> hooks);
  void observe(std::shared_ptr<Observer> observer, uint64_t mask);
  void wrap(std::shared_ptr<Wrapper> wrapper);  // earlier ones are further out

  // The mask test is inline: a hook nobody watches costs a load and a branch.
  void fire(const HookInfo& info) {
    if (mask_ & (uint64_t(1) << int(info.hook))) call_observers(info);
  }
  bool watched(Hook hook) const { return mask_ & (uint64_t(1) << int(hook)); }
  std::vector<Entry>& entries() { return entries_; }
  const std::vector<std::shared_ptr<Wrapper>>& wrappers() const { return wrappers_; }
  void disable(size_t entry);

 private:
  void call_observers(const HookInfo& info);
  void refresh_mask();

  uint64_t mask_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<Wrapper>> wrappers_;
};

}  // namespace sz
