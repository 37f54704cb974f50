/* Wants to be called before another one that wants the same. */
#include <sz/easy.h>

typedef struct {
  const sz_host* host;
} cycle;

static sz_error* on(void* self, const sz_hook_info* info) {
  (void)self;
  (void)info;
  return NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = PLUGIN_ID,
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "wants to be first",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_STEP_END, .before = SZ_NAMES(OTHER_ID)))};

SZ_REGISTER_OBSERVER(cycle, descriptor, NULL, on)
