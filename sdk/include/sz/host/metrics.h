/* sz.metrics/1: numbers of a step, in metrics.jsonl. Draft. */
#ifndef SZ_HOST_METRICS_H
#define SZ_HOST_METRICS_H

#include <sz/base.h>

SZ_BEGIN_C

#define SZ_METRICS "sz.metrics/1"
typedef struct sz_metrics {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] Adds "plugin.name" to the line of the current step; a second value in one step replaces the first.
   * Rank 0 writes it; elsewhere it can only be read back. */
  sz_error* (*publish)(const sz_host* host, const char* name, double value);
  /* [main; run] The last value of a metric by its whole name ("grad_norm", "amp_o2.scale"): 0 where there is none. */
  sz_bool (*read)(const sz_host* host, const char* name, double* value);
} sz_metrics;

SZ_END_C
#endif
