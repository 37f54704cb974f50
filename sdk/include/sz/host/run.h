/* sz.run/1: what the run is, requests to it, step scalars, evaluation groups. Draft. */
#ifndef SZ_HOST_RUN_H
#define SZ_HOST_RUN_H

#include <sz/base.h>

SZ_BEGIN_C

/* Lent until stop. */
typedef struct sz_run_info {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;
  const char* folder;   /* of the run's files */
  const char* language; /* log.language: "en" or "zh" */
  uint64_t seed;
  int64_t step, attempt, epoch;
  int64_t total_steps;  /* 0: not yet known */
  int64_t steps_per_epoch;
  int64_t global_batch; /* samples a step */
} sz_run_info;

typedef uint32_t sz_request;
enum { SZ_REQUEST_STOP = 0, SZ_REQUEST_SAVE = 1, SZ_REQUEST_EVALUATE = 2 };

#define SZ_RUN "sz.run/1"
typedef struct sz_run {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; start, run] */
  sz_error* (*describe)(const sz_host* host, sz_run_info* info);
  /* [any; run] From one rank on; carried out on all after the next VERDICT. */
  sz_error* (*request)(const sz_host* host, sz_request request, const char* reason);
  /* [main; start] A number that is summed over ranks at each VERDICT and stands in its facts as "plugin.name". The
   * same names, in the same order, on all ranks. */
  sz_error* (*add_scalar)(const sz_host* host, const char* name, uint32_t* scalar);
  /* [main; run, before VERDICT] This rank's share for this step; 0 where not set. */
  sz_error* (*set_scalar)(const sz_host* host, uint32_t scalar, double value);
  /* [main; EVAL_BEGIN] Puts each sample of the validation split into one of `group_count` groups (-1: none), for
   * EVAL_END's result under "plugin.group". Everything is copied; the same on all ranks. */
  sz_error* (*set_eval_groups)(const sz_host* host, uint64_t group_count, const char* const* names,
                               uint64_t sample_count, const int32_t* group_of_sample);
} sz_run;

SZ_END_C
#endif
