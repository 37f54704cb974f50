/* sz.alloc/1: what the host's tensor allocator holds. Draft. */
#ifndef SZ_HOST_ALLOC_H
#define SZ_HOST_ALLOC_H

#include <sz/base.h>

SZ_BEGIN_C

typedef struct sz_alloc_info {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t live_bytes;   /* in use by tensors */
  uint64_t peak_bytes;   /* highest live_bytes since the last reset_peak */
  uint64_t cached_bytes; /* kept for reuse */
  uint64_t limit_bytes;  /* 0: none */
} sz_alloc_info;

#define SZ_ALLOC "sz.alloc/1"
typedef struct sz_alloc {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any; start, run] */
  sz_error* (*read)(const sz_host* host, sz_alloc_info* info);
  /* [main; run] */
  sz_error* (*reset_peak)(const sz_host* host);
} sz_alloc;

SZ_END_C
#endif
