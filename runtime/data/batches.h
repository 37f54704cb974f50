// From plans to micro-batches.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "data/micro_batch.h"
#include "data/plan.h"
#include "data/source_service.h"

namespace sz {

// How a plan's items fall to ranks and micro-batches; the rule stands in data/plan.h.
struct Slicing {
  int64_t micro_batch = 1;  // samples
  int ranks = 1;
  int rank = 0;
};

// Items [begin, end) of a plan; empty where the plan is too short to reach this rank.
struct PlanSlice {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

// Micro-batches of a plan, the same on every rank: its last ones may be empty on some (see MicroBatch).
int64_t micro_batch_count(int64_t plan_items, const Slicing& slicing);
PlanSlice slice_of(int64_t plan_items, const Slicing& slicing, int64_t micro_batch);

// Labels that count in the whole plan, from the index alone.
int64_t count_tokens(const Source& source, Split split, std::span<const PlanItem> plan);

// Changes a sample whose PlanItem::transform isn't 0, on the I/O thread. It may change ids, labels, mask and length,
// but not how many labels count, since the step's count is taken from the index before anything is loaded.
using Transform = std::function<void(const PlanItem& item, SampleTokens& sample)>;

// The slice's samples, padded to the longest; for an empty slice the one masked row of MicroBatch.
// Errors: the source's; Error(kPlugin) for a transform that changes the count, or is asked for but isn't there.
MicroBatch make_micro_batch(const Source& source, Split split, const Plan& plan, PlanSlice slice,
                            const Transform& transform = {});

struct BatchLoaderOptions {
  Split split = Split::kTrain;
  Slicing slicing;
  int64_t prefetch = 4;  // micro-batches held ready, at least 1
  Transform transform;
};

// Loads the micro-batches of queued plans ahead, in order, on a thread of its own.
// Thread: all members on one thread, which is not the loader's.
class BatchLoader {
 public:
  BatchLoader(std::shared_ptr<const Source> source, BatchLoaderOptions options);
  ~BatchLoader();  // waits for the sample being read

  void push(Plan plan);
  // The next micro-batch of the queue, waiting for it. Rethrows what loading it threw; after that the queue is as after
  // drop(). Nothing queued is an assertion.
  MicroBatch next();
  // Forgets all that is queued or loaded and not yet taken (a rollback). Doesn't wait.
  void drop();
  // Micro-batches queued or loaded and not yet taken.
  int64_t pending() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sz
