/* Slots: decisions with exactly one owner, and the tables that an owner implements as extensions. Draft.
 * Functions are called on the main thread, in state run, in the same order on all ranks, but where they say more. */
#ifndef SZ_SLOTS_H
#define SZ_SLOTS_H

#include <sz/base.h>
#include <sz/facts.h>
#include <sz/hooks.h>
#include <sz/unit.h>

SZ_BEGIN_C

/* ---- precision -------------------------------------------------------------------------------------------------- */

/* Values are sz_dtype: master SZ_F32; the others SZ_F32, SZ_F16 or SZ_BF16. Closed. */
typedef struct sz_parameter_dtypes {
  uint8_t master, compute, accumulate, wire;
} sz_parameter_dtypes;

enum { SZ_AUTOCAST_NONE = 0, SZ_AUTOCAST_BF16 = 1, SZ_AUTOCAST_F16 = 2 };

/* Closed. */
typedef struct sz_segment_dtypes {
  uint8_t activation; /* sz_dtype of the boundary tensor handed in */
  uint8_t autocast;   /* SZ_AUTOCAST_: run under it, products in that type */
  uint8_t reserved[2];
} sz_segment_dtypes;

#define SZ_PRECISION "sz.precision/1"
typedef struct sz_precision {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] Once, after MODEL_DECLARED. Both arrays come filled with fp32, one element for each parameter and
   * segment of the model, which is read with sz.model/1. */
  sz_error* (*plan)(void* self, const sz_model* model, sz_parameter_dtypes* parameters, sz_segment_dtypes* segments);
  /* [main; run] What multiplies the next attempt's loss; finite, above 0, the same on all ranks. */
  double (*scale)(void* self);
  /* [main; run] Like sz_voter::judge. */
  sz_error* (*judge)(void* self, const sz_step_facts* facts, sz_vote* vote);
} sz_precision;

/* ---- residency -------------------------------------------------------------------------------------------------- */

/* One stretch of one named array of one parameter. Lent. */
typedef struct sz_export_piece {
  uint32_t struct_size;
  uint32_t rank_count; /* dimensions in shape */
  const char* parameter;
  const char* state;    /* "master", or an optimizer state's name */
  const int64_t* shape; /* of the whole parameter */
  int64_t begin, end;   /* flat elements held by this rank */
  float* data;          /* end - begin elements, fp32 */
} sz_export_piece;

typedef struct sz_gradient_facts {
  uint32_t struct_size;
  int32_t first_non_finite_parameter; /* -1: none */
  double sum_squares;                 /* this rank's share: over all ranks each element counts once */
  int64_t non_finite;
} sz_gradient_facts;

/* Lent for the call of build, except `model`, which lives until stop. */
typedef struct sz_residency_setup {
  uint32_t struct_size;
  sz_bool optimizer_element_wise;
  const sz_model* model;
  uint64_t parameter_count;
  const sz_parameter_dtypes* parameters;
  uint64_t segment_count;
  const sz_segment_dtypes* segments;
  uint64_t seed;
  const char* const* optimizer_states; /* ends in NULL */
  sz_bool keep_stable; /* 0: no state to return to is kept, and can_restore() says so */
  uint32_t reserved;
} sz_residency_setup;

typedef sz_error* (*sz_visit_unit)(void* context, const sz_update_unit* unit);
typedef sz_error* (*sz_visit_piece)(void* context, const sz_export_piece* piece);

/* Where bytes live. Collectives go through sz.comm/1. */
#define SZ_RESIDENCY "sz.residency/1"
typedef struct sz_residency {
  uint32_t struct_size;
  uint32_t reserved;
  /* Materialises parameters from (seed, name), segment by segment. */
  sz_error* (*build)(void* self, const sz_residency_setup* setup);

  /* Appends the segment's parameters in compute dtype, there until release(). In training mode they require
   * gradients where trainable. */
  sz_error* (*acquire)(void* self, int32_t segment, sz_mode mode, sz_tensor_list* parameters);
  sz_error* (*release)(void* self, int32_t segment, sz_mode mode);
  sz_error* (*acquire_head)(void* self, sz_tensor_list* parameters); /* for generation */
  sz_error* (*hold_all)(void* self); /* keep everything there, until let_go() */
  sz_error* (*let_go)(void* self);

  sz_error* (*begin_step)(void* self); /* gradients count from zero */
  /* Takes a segment's parameter gradients of one micro-batch (NULL: zero); they are lent: retain what is kept. */
  sz_error* (*accumulate)(void* self, int32_t segment, int32_t micro_batch, sz_bool last, uint64_t count,
                          sz_tensor* const* gradients);
  sz_error* (*finish_gradients)(void* self); /* after it gradients are reduced */
  sz_error* (*gradient_facts)(void* self, sz_gradient_facts* facts);

  sz_error* (*for_each_unit)(void* self, sz_visit_unit visit, void* context);
  sz_error* (*parameters_updated)(void* self); /* after the last unit of an applied step */

  sz_bool (*can_restore)(void* self); /* 0: train.snapshot is "none" */
  sz_error* (*mark_stable)(void* self);
  sz_error* (*restore)(void* self);

  /* Visits this rank's stretches; over all ranks each element exactly once. Import: visit writes through data. */
  sz_error* (*export_pieces)(void* self, sz_visit_piece visit, void* context);
  sz_error* (*import_pieces)(void* self, sz_visit_piece fill, void* context);
} sz_residency;

/* ---- sampler ---------------------------------------------------------------------------------------------------- */

typedef struct sz_sampler_setup {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t samples;      /* of the training split */
  int64_t global_batch; /* samples a plan */
  uint64_t seed;
} sz_sampler_setup;

/* A training sample about to be put into a micro-batch: inputs ids[t], their next tokens labels[t], and mask[t], 1 where
 * the label counts. Lent. */
typedef struct sz_sample_tokens {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t length;
  int64_t* ids;      /* may be changed */
  int64_t* labels;   /* may be changed */
  const float* mask; /* what counts stays */
} sz_sample_tokens;

#define SZ_SAMPLER "sz.sampler/1"
typedef struct sz_sampler {
  uint32_t struct_size;
  uint32_t reserved;
  sz_error* (*setup)(void* self, const sz_sampler_setup* setup);
  /* The state before the first plan, as bytes. */
  sz_error* (*initial_state)(void* self, const sz_sink* state);
  /* The plan that follows `state`, and the state after it: the same on all ranks. Writes at most `capacity`
   * (= global_batch) items and their number. */
  sz_error* (*plan)(void* self, sz_string state, uint64_t capacity, sz_plan_item* items, uint64_t* count,
                    const sz_sink* next_state);
  /* [io; run] Changes a sample whose item has a transform other than 0, in place; a pure function of its arguments.
   * NULL: no item ever has one. Validation samples never come here. */
  sz_error* (*transform)(void* self, const sz_plan_item* item, const sz_sample_tokens* sample);
} sz_sampler;

SZ_END_C
#endif
