/* sz.hooks/1: what a wrapper of SEGMENT_FORWARD and SEGMENT_BACKWARD may read and change. Draft. */
#ifndef SZ_HOST_HOOKS_H
#define SZ_HOST_HOOKS_H

#include <sz/base.h>
#include <sz/services.h>

SZ_BEGIN_C

/* Tensor lists of a call. */
typedef uint32_t sz_call_list;
enum {
  SZ_CALL_PARAMETERS = 0,      /* may be substituted before next */
  SZ_CALL_INPUTS = 1,          /* detached at the segment's boundary */
  SZ_CALL_OUTPUTS = 2,         /* forward: after next; backward: what forward kept */
  SZ_CALL_SAVED = 3,           /* of a hand-written backward */
  SZ_CALL_GRAD_OUTPUTS = 4,    /* backward */
  SZ_CALL_GRAD_INPUTS = 5,     /* backward, after next */
  SZ_CALL_GRAD_PARAMETERS = 6  /* backward, after next; may be replaced */
};

/* Lent until the call returns. */
typedef struct sz_call_info {
  uint32_t struct_size;
  int32_t segment;
  const char* segment_name;
  const sz_segment_context* context;
  sz_bool keep_graph; /* forward: whether next will keep a graph */
  sz_bool graph_kept; /* backward: whether there is something to differentiate */
  uint32_t save_levels; /* the highest that the segment honours */
  uint32_t reserved;
} sz_call_info;

/* All: [main; inside a wrapper's call]. */
#define SZ_HOOKS "sz.hooks/1"
typedef struct sz_hooks_api {
  uint32_t struct_size;
  uint32_t reserved;
  sz_error* (*describe)(const sz_host* host, const sz_segment_call* call, sz_call_info* info);
  uint64_t (*count)(const sz_host* host, const sz_segment_call* call, sz_call_list list);
  /* Lent until the call returns or the element is set; *tensor is NULL where undefined. */
  sz_error* (*get)(const sz_host* host, const sz_segment_call* call, sz_call_list list, uint64_t index,
                   sz_tensor** tensor);
  /* Lists that may be changed: see above. The call takes a reference of its own; NULL: undefined. */
  sz_error* (*set)(const sz_host* host, sz_segment_call* call, sz_call_list list, uint64_t index, sz_tensor* tensor);
  /* Forward, before next: 0 runs the segment without a graph and saves nothing. */
  sz_error* (*set_keep_graph)(const sz_host* host, sz_segment_call* call, sz_bool keep);
  /* Backward, before next: runs the segment again through the wrappers further in, in mode recompute, without
   * observers, keeping its graph; next then differentiates that. */
  sz_error* (*forward_again)(const sz_host* host, sz_segment_call* call);
  /* Forward, before next: what the segment keeps for backward, 0 .. sz_call_info::save_levels. */
  sz_error* (*set_save_level)(const sz_host* host, sz_segment_call* call, uint32_t level);
  /* Backward, before next, instead of forward_again: next runs the segment again and differentiates it for one of
   * `chunks` chunks of the batch's rows after the other; gradients of parameters are summed over chunks. A segment
   * that has no rows to cut is run again whole. */
  sz_error* (*forward_again_by_rows)(const sz_host* host, sz_segment_call* call, uint32_t chunks);
} sz_hooks_api;

SZ_END_C
#endif
