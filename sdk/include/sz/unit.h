/* Update units: a flat piece of parameters with its gradient and optimizer state, updated in one pass. Draft. */
#ifndef SZ_UNIT_H
#define SZ_UNIT_H

#include <sz/base.h>

SZ_BEGIN_C

/* A stretch of one parameter inside a unit's buffers. Closed. */
typedef struct sz_param_range {
  int64_t parameter;    /* index into the model's parameters */
  int64_t unit_offset;  /* first element within this rank's part of the unit */
  int64_t param_offset; /* the same element within the flattened parameter */
  int64_t count;
} sz_param_range;

/* Homogeneous in (segment or shared set, dtypes, decay group, trainable). Pointers are lent and 64-byte aligned;
 * elements outside `ranges` are padding: zero gradient, never counted, never saved. */
typedef struct sz_update_unit {
  uint32_t struct_size;
  sz_bool decay; /* takes weight decay */
  const char* name;
  int64_t numel;          /* elements on this rank, padding included */
  float* master;          /* fp32 */
  const void* gradient;   /* summed over ranks and micro-batches, still multiplied by the loss scale */
  sz_dtype gradient_dtype;
  sz_dtype mirror_dtype;
  void* mirror;           /* compute copy to be written from master, or NULL */
  uint64_t state_count;
  float* const* state;    /* the optimizer's arrays, in the order of its state names */
  uint64_t range_count;
  const sz_param_range* ranges;
} sz_update_unit;

/* What one applied step multiplies and schedules by. */
typedef struct sz_step_scalars {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t step;      /* 1 for the first applied step */
  double lr;
  double multiplier; /* clip factor / loss scale */
} sz_step_scalars;

SZ_END_C
#endif
