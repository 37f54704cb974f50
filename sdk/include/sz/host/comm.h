/* sz.comm/1: ranks, and collectives for the owner of residency. Draft.
 *
 * Operations are enqueued in program order; all ranks must enqueue the same sequence on each channel. Sums are taken
 * in fixed rank order. Hooks and services issue no collectives: they use the step scalars of sz.run/1. */
#ifndef SZ_HOST_COMM_H
#define SZ_HOST_COMM_H

#include <sz/base.h>

SZ_BEGIN_C

typedef uint32_t sz_channel;
enum { SZ_CHANNEL_GATHER = 0, SZ_CHANNEL_REDUCE = 1 };

typedef struct sz_work sz_work; /* a started operation; its buffers belong to it until wait returns */

/* Seconds of one monotonic clock. Closed. */
typedef struct sz_work_times {
  double posted;   /* enqueued by the caller */
  double started;  /* first in its channel's queue, first message sent */
  double finished; /* result in place */
} sz_work_times;

#define SZ_COMM "sz.comm/1"
typedef struct sz_comm {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] */
  int32_t (*rank)(const sz_host* host);
  int32_t (*size)(const sz_host* host);

  /* [main; run] An error for anybody but the owner of the slot residency. Each gives a *work to be waited for. */
  sz_error* (*all_reduce)(const sz_host* host, sz_channel channel, void* data, uint64_t count, sz_dtype dtype,
                          sz_work** work); /* in place */
  sz_error* (*reduce_scatter)(const sz_host* host, sz_channel channel, const void* in, void* out, uint64_t count,
                              sz_dtype dtype, sz_work** work); /* in: size x count elements; out: count */
  sz_error* (*all_gather)(const sz_host* host, sz_channel channel, const void* in, void* out, uint64_t bytes,
                          sz_work** work); /* in: bytes, may lie inside out; out: size x bytes */
  sz_error* (*broadcast)(const sz_host* host, sz_channel channel, void* data, uint64_t bytes, int32_t root,
                         sz_work** work);
  /* [any; run] Waits and frees the work, also on an error: SZ_COMM_LOST after any rank's abort. `times` may be NULL. */
  sz_error* (*wait)(const sz_host* host, sz_work* work, sz_work_times* times);
  /* [any; run] Whether wait would return at once. */
  sz_bool (*done)(const sz_host* host, sz_work* work);
} sz_comm;

SZ_END_C
#endif
