/* sz.state/1: state that outlives a process. The descriptor declares its scope and version; the plugin implements
 * sz_stateful as its extension, the host sz_state_api as its interface. Draft. */
#ifndef SZ_HOST_STATE_H
#define SZ_HOST_STATE_H

#include <sz/base.h>

SZ_BEGIN_C

#define SZ_STATE "sz.state/1"

/* The plugin's. */
typedef struct sz_stateful {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] Writes all that load needs. The same on all ranks. */
  sz_error* (*save)(void* self, const sz_sink* out);
  /* [main; run] `version` is the descriptor's of the plugin that saved. Called on resume and, where the scope says
   * so, in a rollback. */
  sz_error* (*load)(void* self, sz_string bytes, uint32_t version);
} sz_stateful;

/* The host's. */
typedef struct sz_state_api {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] The owner of the sampler says that its plans would be others now: those made ahead and not yet
   * started are dropped. */
  sz_error* (*changed)(const sz_host* host);
} sz_state_api;

SZ_END_C
#endif
