/* sz.events/1: named, typed key-values from plugin to plugin. Draft.
 *
 * Delivered in order on the main thread, soon after they were raised: after VERDICT (and a rollback's restore, which
 * therefore can't undo what they bring about), at STEP_END and at EVAL_END. */
#ifndef SZ_HOST_EVENTS_H
#define SZ_HOST_EVENTS_H

#include <sz/base.h>

SZ_BEGIN_C

/* Lent. */
typedef struct sz_event {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;   /* "gradient_instability" */
  const char* plugin; /* who raised it */
  int64_t step, attempt;
  uint64_t field_count;
  const sz_field* fields;
} sz_event;

/* [main; run] */
typedef sz_error* (*sz_on_event)(void* context, const sz_event* event);

#define SZ_EVENTS "sz.events/1"
typedef struct sz_events {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] Everything is copied. To be raised on all ranks alike where its effect must be the same on all. */
  sz_error* (*publish)(const sz_host* host, const char* name, uint64_t field_count, const sz_field* fields);
  /* [main; start] */
  sz_error* (*subscribe)(const sz_host* host, const char* name, sz_on_event on_event, void* context);
} sz_events;

SZ_END_C
#endif
