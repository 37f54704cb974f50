/* Services: offered by id and major, by many; a configuration or a plugin names the one it wants. Draft.
 * A plugin hands out its tables in provide(); their functions take the object that came with the table. */
#ifndef SZ_SERVICES_H
#define SZ_SERVICES_H

#include <sz/base.h>
#include <sz/unit.h>

SZ_BEGIN_C

/* ---- sz.scorer/1: text (+ language) -> difficulty --------------------------------------------------------------- */

typedef struct sz_text_item {
  sz_string text;       /* valid UTF-8 */
  const char* language; /* "en", "zh", "other"; NULL: not known */
} sz_text_item;         /* closed */

/* Fills `item` with the next text and returns 1, or returns 0 at the end. The text is lent until the next call. */
typedef sz_bool (*sz_next_text)(void* context, sz_text_item* item);

#define SZ_SCORER "sz.scorer/1"
typedef struct sz_scorer {
  uint32_t struct_size;
  uint32_t version;          /* of the scores: a new one makes cached scores stale */
  const char* const* routes; /* how a text can be scored: "english", "chinese", "fallback"; ends in NULL */
  /* [main; run] Sees the training corpus once, before the first score. NULL: not needed. */
  sz_error* (*fit)(void* object, sz_next_text next, void* next_context);
  /* [any; run] A raw value a text, the same wherever and in whatever batch it is asked for; always finite.
   * `route`, where not NULL, receives an index into routes a text. */
  sz_error* (*score)(void* object, uint64_t count, const sz_text_item* items, double* scores, uint32_t* route);
} sz_scorer;

/* ---- sz.pacing/1: training signals -> difficulty threshold ------------------------------------------------------ */

/* The same on all ranks. Lent. */
typedef struct sz_pacing_signals {
  uint32_t struct_size;
  sz_bool warming_up;       /* record, don't act */
  int64_t step, attempt, epoch;
  double progress;          /* of the run, 0 to 1 */
  double threshold;         /* in force now, a rank in 0 to 1 */
  double batch_loss_std;    /* of the global batch's per-sample losses */
  double window_loss_std;   /* the same over the window */
  uint64_t batch_samples;
  uint64_t bucket_count;    /* 0 but at an epoch's end */
  const double* bucket_loss;     /* validation, mean over tokens */
  const double* bucket_accuracy; /* validation, 0 to 1 */
  const double* bucket_slope;    /* of accuracy, an epoch */
} sz_pacing_signals;

#define SZ_PACING "sz.pacing/1"
typedef struct sz_pacing {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] The threshold from now on, and the cause where it moves (English; lent until the next call; NULL:
   * it doesn't). Called after each step and at each epoch's end. */
  sz_error* (*pace)(void* object, const sz_pacing_signals* signals, double* threshold, const char** cause);
} sz_pacing;

/* ---- sz.architecture/1: config -> declared parameters and segments ---------------------------------------------- */

typedef struct sz_model_options {
  uint32_t struct_size;
  uint32_t reserved;
  const char* type;
  int64_t layers, width, heads, context, vocabulary;
  double dropout;
  sz_string config_toml; /* the resolved [model] table, for further keys */
} sz_model_options;

#define SZ_ARCHITECTURE "sz.architecture/1"
typedef struct sz_architecture {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] Declares into the empty `model`, with sz.model/1. */
  sz_error* (*declare)(void* object, const sz_model_options* options, sz_model* model);
} sz_architecture;

/* What a segment may know besides its parameters and inputs. Lent. */
typedef struct sz_segment_context {
  uint32_t struct_size;
  sz_mode mode;
  uint32_t index;            /* place among the model's segments: part of the key of its randomness */
  uint32_t save_level;       /* what `saved` may hold: at most sz_segment::save_levels */
  uint64_t seed;
  uint64_t position_count;   /* rows, or 0 where unused */
  const uint64_t* positions; /* of each row's sample in the data order */
  int64_t past;              /* tokens already in the cache, generation only */
} sz_segment_context;

/* A list of tensors that is only read; elements may be NULL (undefined). Closed, lent. */
typedef struct sz_tensors {
  uint64_t count;
  sz_tensor* const* items;
} sz_tensors;

/* A segment of a plugin's making: pure, its result depends on the arguments alone. */
typedef struct sz_segment {
  uint32_t struct_size;
  /* The highest save level that forward honours: 0, all is saved that backward needs; 1, no longer what is cheap to
   * form again (norms, activations, masks). Gradients are the same bits at any. */
  uint32_t save_levels;
  /* [main; run] Appends to outputs, and to `saved` (NULL where nothing is to be saved) what backward needs. */
  sz_error* (*forward)(void* segment, const sz_segment_context* context, sz_tensors parameters, sz_tensors inputs,
                       sz_tensor_list* outputs, sz_tensor_list* saved);
  /* [main; run] Appends one gradient for each input and each parameter (NULL: none). NULL here: the host's autograd,
   * which needs sz.torch/1. */
  sz_error* (*backward)(void* segment, const sz_segment_context* context, sz_tensors parameters, sz_tensors inputs,
                        sz_tensors saved, sz_tensors grad_outputs, sz_tensor_list* grad_inputs,
                        sz_tensor_list* grad_parameters);
} sz_segment;

/* ---- sz.loss/1 -------------------------------------------------------------------------------------------------- */

#define SZ_LOSS "sz.loss/1"
typedef struct sz_loss {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] hidden [rows, cols, width], labels [rows, cols] int64, token_weight [rows, cols] fp32 (mask x loss
   * scale / global tokens). Appends: scalar fp32 (sum of weight x loss), per-token loss [rows, cols] fp32 (0 where
   * the weight is 0), per-token correct [rows, cols] uint8; with want_gradients also the gradient of hidden and one
   * for each of the head's parameters. */
  sz_error* (*compute)(void* object, sz_tensor* hidden, sz_tensors head, sz_tensor* labels, sz_tensor* token_weight,
                       sz_bool want_gradients, sz_tensor_list* results);
} sz_loss;

/* ---- sz.optimizer/1 --------------------------------------------------------------------------------------------- */

#define SZ_OPTIMIZER "sz.optimizer/1"
typedef struct sz_optimizer {
  uint32_t struct_size;
  sz_bool element_wise;           /* 0: needs whole matrices */
  const char* const* state_names; /* one fp32 array of the unit's size each, zero at first; ends in NULL */
  /* [main; run] One pass over the unit: unscale, clip, update, write the mirror. */
  sz_error* (*update)(void* object, const sz_update_unit* unit, const sz_step_scalars* scalars);
} sz_optimizer;

/* ---- sz.schedule/1: progress -> factor -------------------------------------------------------------------------- */

typedef struct sz_progress {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t step;        /* 1 for the first applied step */
  int64_t total_steps;
  int64_t warmup_steps;
  double lr, min_lr;   /* as configured */
} sz_progress;

#define SZ_SCHEDULE "sz.schedule/1"
typedef struct sz_schedule {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any; run] Pure. What multiplies the configured learning rate; finite, at least 0. */
  sz_error* (*factor)(void* object, const sz_progress* progress, double* factor);
} sz_schedule;

/* ---- sz.source/1: a data set ------------------------------------------------------------------------------------ */

/* What is known of a sample without reading its tokens. */
typedef struct sz_sample_info {
  uint32_t struct_size;
  int32_t language;     /* index into the source's languages */
  int64_t document;     /* index over the whole data set, both splits */
  int64_t offset;       /* first input, in tokens from the document's start */
  int64_t length;       /* inputs, at least 1; there are as many labels */
  int64_t label_tokens; /* labels that count */
} sz_sample_info;

#define SZ_SOURCE "sz.source/1"
typedef struct sz_source {
  uint32_t struct_size;
  uint32_t reserved;
  const char* const* languages; /* tags, ends in NULL */
  /* All: [any; run]. */
  int64_t (*vocabulary)(void* object);
  int64_t (*count)(void* object, sz_split split);
  sz_error* (*info)(void* object, sz_split split, int64_t sample, sz_sample_info* info);
  /* Each array has room for sz_sample_info::length elements. mask: 1 where the label counts. */
  sz_error* (*read)(void* object, sz_split split, int64_t sample, int64_t* ids, int64_t* labels, float* mask);
  /* The text of the sample's inputs: valid UTF-8. */
  sz_error* (*text)(void* object, sz_split split, int64_t sample, const sz_sink* text);
} sz_source;

SZ_END_C
#endif
