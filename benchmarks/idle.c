/* Watches LOSS and does nothing: what a call of a hook into a plugin costs. */
#include <sz/easy.h>

typedef struct {
  const sz_host* host;
} idle;

static sz_error* start(void* self) {
  (void)self;
  return NULL;
}

static sz_error* on(void* self, const sz_hook_info* info) {
  (void)self;
  (void)info;
  return NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "bench_idle",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "an observer that does nothing",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_LOSS_READY))};

SZ_REGISTER_OBSERVER(idle, descriptor, start, on)
