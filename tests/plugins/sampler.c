/* Samples in order, from the front again at the end; its state is the next position. */
#include <sz/easy.h>
#include <sz/host/state.h>
#include <sz/slots.h>

typedef struct {
  const sz_host* host;
  sz_sampler_setup data;
} sampler;

static sz_error* setup(void* self, const sz_sampler_setup* data) {
  ((sampler*)self)->data = *data;
  return NULL;
}

static sz_error* initial_state(void* self, const sz_sink* state) {
  const uint64_t position = 0;
  (void)self;
  return state->write(state->context, &position, sizeof(position));
}

static sz_error* plan(void* self, sz_string state, uint64_t capacity, sz_plan_item* items, uint64_t* count,
                      const sz_sink* next_state) {
  const sampler* s = self;
  uint64_t position = 0;
  if (state.len != sizeof(position)) return sz_fail(s->host, SZ_CORRUPT, "unknown state");
  memcpy(&position, state.ptr, sizeof(position));
  for (uint64_t i = 0; i < capacity; ++i, ++position) {
    items[i] = (sz_plan_item){.sample = (int64_t)(position % (uint64_t)s->data.samples), .position = position};
  }
  *count = capacity;
  return next_state->write(next_state->context, &position, sizeof(position));
}

/* Adds the number of the transform to each input. */
static sz_error* transform(void* self, const sz_plan_item* item, const sz_sample_tokens* sample) {
  (void)self;
  for (int64_t t = 0; t < sample->length; ++t) sample->ids[t] += item->transform;
  return NULL;
}

static sz_error* check(const sz_host* host, const sz_check* run, const sz_sink* warnings) {
  const sz_config* config = host->get_interface(host, SZ_CONFIG);
  if (run->total_steps > 10) return NULL;
  if (config == NULL || host->get_interface(host, SZ_RUN) != NULL) return sz_fail(host, SZ_INTERNAL, "interfaces");
  SZ_TRY(warnings->write(warnings->context, "one\n", 4));
  return warnings->write(warnings->context, config->has(host, "absent") ? "key\n" : "two\n", 4);
}

static sz_error* on(void* self, const sz_hook_info* info) {
  const sampler* s = self;
  const sz_state_api* state = NULL;
  (void)info;
  SZ_TRY(sz_find(s->host, SZ_STATE, &state));
  return state->changed(s->host);
}

static const void* get_extension(void* self, const char* id) {
  static const sz_sampler table = {SZ_SIZED(sz_sampler), .setup = setup, .initial_state = initial_state, .plan = plan,
      .transform = transform};
  static const sz_observer observer = {SZ_SIZED(sz_observer), .on = on};
  (void)self;
  if (strcmp(id, SZ_OBSERVER) == 0) return &observer;
  return strcmp(id, SZ_SAMPLER) == 0 ? &table : NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_sampler",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "samples in order",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_EPOCH_END)),
    .slots = SZ_LIST(sz_slot_use, SZ_SLOT(.slot = "sampler"))};

SZ_LIFE(sampler)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .destroy = sz_destroy, .get_extension = get_extension, .check = check};
SZ_REGISTER(plugin)
