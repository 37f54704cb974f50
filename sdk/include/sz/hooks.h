/* The hooks, drawn once, in the order in which a run meets them. Draft.
 *
 *   RUN_BEGIN
 *     MODEL_DECLARED      names, shapes, roles; here alone parameters may be added, frozen or tied
 *     MODEL_BUILT         OPTIMIZER_BUILT      STATE_LOADED (on resume)
 *     EPOCH_BEGIN
 *       STEP_BEGIN
 *         BATCH_READY
 *         per micro-batch:
 *           SEGMENT_FORWARD   around, first segment to last (the last one is the loss)
 *           LOSS
 *           SEGMENT_BACKWARD  around, last segment to first
 *         GRADIENTS_REDUCED
 *         VERDICT
 *         OPTIMIZER_STEP      around, or STEP_SKIPPED(reason)
 *       STEP_END
 *       EVAL_BEGIN (BATCH_READY SEGMENT_FORWARD LOSS)* EVAL_END     CHECKPOINT_SAVED
 *     EPOCH_END
 *   RUN_END | RUN_FAILED(reason)     SIGNAL
 *
 * A roll back takes the run back to a place in this list, its stable state: STEP_SKIPPED says why, STEP_END has that
 * state's step, and what follows it there comes again, EPOCH_END and EPOCH_BEGIN as well (with keep_data_position the
 * data, and so the epoch, go on instead). State with the scope SZ_STATE_CHECKPOINT_AND_ROLLBACK is taken back likewise.
 * A resumed run goes on, after STATE_LOADED, where its checkpoint stands: an epoch that was under way does not begin
 * again, one that was over still ends.
 *
 * All fire on the main thread. Observers see a point and return; the three `around` hooks are wrapped, and their
 * `next` dies at return. An observer that returns an error is disabled on every rank at the next VERDICT, and the
 * run goes on as if it had never been; an error of a wrapper ends the run.
 */
#ifndef SZ_HOOKS_H
#define SZ_HOOKS_H

#include <sz/base.h>
#include <sz/facts.h>

SZ_BEGIN_C

typedef uint32_t sz_hook;
enum {
  SZ_RUN_BEGIN = 0,
  SZ_MODEL_DECLARED = 1,
  SZ_MODEL_BUILT = 2,
  SZ_OPTIMIZER_BUILT = 3,
  SZ_STATE_LOADED = 4,
  SZ_EPOCH_BEGIN = 5,
  SZ_STEP_BEGIN = 6,
  SZ_BATCH_READY = 7,
  SZ_SEGMENT_FORWARD = 8,
  SZ_LOSS_READY = 9,
  SZ_SEGMENT_BACKWARD = 10,
  SZ_GRADIENTS_REDUCED = 11,
  SZ_VERDICT = 12,
  SZ_OPTIMIZER_STEP = 13,
  SZ_STEP_SKIPPED = 14,
  SZ_STEP_END = 15,
  SZ_EVAL_BEGIN = 16,
  SZ_EVAL_END = 17,
  SZ_CHECKPOINT_SAVED = 18,
  SZ_EPOCH_END = 19,
  SZ_RUN_END = 20,
  SZ_RUN_FAILED = 21,
  SZ_SIGNAL = 22,
  SZ_HOOK_COUNT = 23
};

/* One sample of a step's plan. Closed. */
typedef struct sz_plan_item {
  int64_t sample;     /* index into the split */
  uint64_t position;  /* place in the data order of the whole run: the key of this sample's randomness */
  uint32_t transform; /* 0: as stored; others are named by the sampler's owner */
  uint32_t flags;
  uint64_t seed;      /* for the transform */
} sz_plan_item;

/* A padded rectangle of samples; arrays are row-major. Lent. */
typedef struct sz_micro_batch {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t rows, cols;        /* samples; tokens of the longest */
  int64_t tokens;            /* labels that count */
  const int64_t* ids;        /* rows x cols; padding 0 */
  const int64_t* labels;     /* rows x cols; padding 0 */
  const float* mask;         /* rows x cols; 1 where the label counts */
  const int64_t* sample;     /* rows: index into the split; -1: no sample */
  const uint64_t* position;  /* rows: sz_plan_item::position */
  const int32_t* plan_index; /* rows: index into the plan; -1: none */
} sz_micro_batch;

/* Lent. */
typedef struct sz_eval_result {
  uint32_t struct_size;
  uint32_t reserved;
  sz_outcome total;
  uint64_t group_count;
  const char* const* group_names; /* "language.en", "difficulty.3" */
  const sz_outcome* groups;
} sz_eval_result;

/* What is true where a hook fires; pointers are NULL where a field has no meaning there. Lent, all of it. */
typedef struct sz_hook_info {
  uint32_t struct_size;
  sz_hook hook;
  int64_t step;                  /* applied so far */
  int64_t attempt;               /* 1 for the first try; never goes back */
  int64_t epoch;                 /* 0 for the first */
  int32_t micro_batch;           /* -1: outside */
  int32_t micro_batches;
  int32_t segment;               /* -1: outside */
  sz_mode mode;
  const char* segment_name;
  int64_t global_tokens;         /* BATCH_READY and later */
  double lr;                     /* OPTIMIZER_STEP, STEP_END */
  uint64_t plan_count;           /* BATCH_READY .. STEP_END */
  const sz_plan_item* plan;
  const sz_micro_batch* batch;   /* SEGMENT_*, LOSS, BATCH_READY of evaluation */
  const float* token_loss;       /* LOSS: rows x cols of batch */
  const uint8_t* token_correct;  /* LOSS */
  const sz_step_facts* facts;    /* VERDICT .. STEP_END */
  sz_model* model;               /* MODEL_DECLARED, MODEL_BUILT: for sz.model/1 */
  const sz_eval_result* eval;    /* EVAL_END */
  const char* path;              /* CHECKPOINT_SAVED */
  const char* reason;            /* STEP_SKIPPED, RUN_FAILED */
  int32_t signal;                /* SIGNAL */
  uint32_t reserved;
} sz_hook_info;

/* Extension of a plugin that watches hooks. */
#define SZ_OBSERVER "sz.observer/1"
typedef struct sz_observer {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] Called for each hook that the descriptor lists and the load plan kept. */
  sz_error* (*on)(void* self, const sz_hook_info* info);
} sz_observer;

/* Runs what is wrapped: to be called exactly once, before returning. Its error is to be passed on. [main] */
typedef sz_error* (*sz_next)(void* next_context);

/* Extension of a plugin that wraps around-hooks. NULL members pass through. */
#define SZ_AROUND "sz.around/1"
typedef struct sz_around {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] `call` is read and changed with sz.hooks/1 and dies at return. */
  sz_error* (*segment_forward)(void* self, sz_segment_call* call, sz_next next, void* next_context);
  sz_error* (*segment_backward)(void* self, sz_segment_call* call, sz_next next, void* next_context);
  /* [main; run] */
  sz_error* (*optimizer_step)(void* self, const sz_hook_info* info, sz_next next, void* next_context);
} sz_around;

SZ_END_C
#endif
