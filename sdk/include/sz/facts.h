/* What all ranks know alike about an attempt, and what they decide from it. Draft. */
#ifndef SZ_FACTS_H
#define SZ_FACTS_H

#include <sz/base.h>

SZ_BEGIN_C

/* Of a sample of the plan, or of an evaluation group, over its real tokens. Closed. */
typedef struct sz_outcome {
  double loss; /* summed over tokens */
  double tokens;
  double correct;
} sz_outcome;

/* The same on every rank, bit for bit. Lent. */
typedef struct sz_step_facts {
  uint32_t struct_size;
  int32_t first_non_finite_parameter; /* index into the model's parameters, lowest over all ranks; -1: none */
  int64_t step;                       /* applied before this attempt */
  int64_t attempt;                    /* the one judged; 1 for the first */
  double scale;                       /* loss scale used */
  double grad_norm;                   /* true global norm, loss scale taken out; NaN when not finite */
  int64_t non_finite;                 /* gradient elements */
  double loss;                        /* mean over the step's real tokens */
  int64_t tokens;
  uint64_t sample_count;
  const sz_outcome* samples;          /* in plan order */
  uint64_t scalar_count;              /* registered with sz.run/1, summed over ranks, ordered by name */
  const char* const* scalar_names;    /* "plugin.name" */
  const double* scalar_values;
  int32_t stop_signal;                /* 0: none */
  sz_bool stop_requested, save_requested, evaluate_requested;
  int64_t low_entries;                /* gradient elements formed in 16 bits, tables left out, over micro-batches */
  int64_t low_zeros;                  /* of them exactly 0 */
} sz_step_facts;

/* Severest wins; ties go to load-plan order. */
typedef uint32_t sz_verdict;
enum { SZ_APPLY = 0, SZ_SKIP = 1, SZ_ROLL_BACK = 2, SZ_ABORT = 3 };

/* Given zeroed with struct_size set, to be filled in. */
typedef struct sz_vote {
  uint32_t struct_size;
  sz_verdict verdict;
  const char* reason;         /* English; NULL for SZ_APPLY. Lent until the plugin's next call */
  double clip;                /* global-norm limit, where has_clip */
  sz_bool has_clip;           /* train.grad_clip, where set, overrides it */
  sz_bool keep_data_position; /* SZ_ROLL_BACK: pass over the data since the stable state, don't repeat it */
  const char* reason_zh;      /* Chinese; NULL: the English one stands for it. Lent likewise */
} sz_vote;

/* Extension of a plugin whose descriptor says `votes`. */
#define SZ_VOTER "sz.voter/1"
typedef struct sz_voter {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] On every rank with the same facts; must decide from them and from replicated state alone. */
  sz_error* (*judge)(void* self, const sz_step_facts* facts, sz_vote* vote);
} sz_voter;

SZ_END_C
#endif
