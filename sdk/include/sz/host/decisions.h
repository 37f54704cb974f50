/* sz.decisions/1: decisions.jsonl, a line a choice with its cause. Draft. */
#ifndef SZ_HOST_DECISIONS_H
#define SZ_HOST_DECISIONS_H

#include <sz/base.h>

SZ_BEGIN_C

/* The host adds plugin, step and attempt. */
typedef struct sz_decision {
  uint32_t struct_size;
  uint32_t reserved;
  const char* what;    /* "loss_scale" */
  const char* cause;   /* English: "gradient variance jumped (sigma 0.42)" */
  sz_value from, to;   /* SZ_VALUE_NONE: left out */
  const char* text_en; /* a whole sentence for people; NULL: composed from the other fields */
  const char* text_zh;
  uint64_t field_count; /* further fields of the line */
  const sz_field* fields;
} sz_decision;

#define SZ_DECISIONS "sz.decisions/1"
typedef struct sz_decisions {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; start, run, stop] Everything is copied. Rank 0 writes it; elsewhere it does nothing. */
  sz_error* (*record)(const sz_host* host, const sz_decision* decision);
} sz_decisions;

SZ_END_C
#endif
