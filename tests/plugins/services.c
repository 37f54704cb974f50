/* Gives an optimizer and a schedule, votes, and uses its own scorer through the host. */
#include <sz/easy.h>
#include <sz/host/services.h>
#include <sz/services.h>

typedef struct {
  const sz_host* host;
} services;

/* Plain gradient descent: master -= lr x multiplier x gradient. */
static sz_error* update(void* object, const sz_update_unit* unit, const sz_step_scalars* scalars) {
  const services* s = object;
  if (unit->gradient_dtype != SZ_F32) return sz_fail(s->host, SZ_USAGE, "gradients must be fp32");
  for (int64_t i = 0; i < unit->numel; ++i) {
    unit->master[i] -= (float)(scalars->lr * scalars->multiplier) * ((const float*)unit->gradient)[i];
  }
  unit->state[0][0] += 1;
  return NULL;
}

static sz_error* factor(void* object, const sz_progress* progress, double* out) {
  (void)object;
  *out = 1.0 / (double)progress->step;
  return NULL;
}

static sz_error* score(void* object, uint64_t count, const sz_text_item* items, double* scores, uint32_t* route) {
  (void)object;
  for (uint64_t i = 0; i < count; ++i) {
    scores[i] = (double)items[i].text.len;
    if (route != NULL) route[i] = 0;
  }
  return NULL;
}

static const void* provide(void* self, const char* service, const char* name, void** object) {
  static const char* const states[] = {"steps", NULL};
  static const char* const routes[] = {"length", NULL};
  static const sz_optimizer optimizer = {SZ_SIZED(sz_optimizer), .element_wise = 1, .state_names = states,
      .update = update};
  static const sz_schedule schedule = {SZ_SIZED(sz_schedule), .factor = factor};
  static const sz_scorer scorer = {SZ_SIZED(sz_scorer), .version = 1, .routes = routes, .score = score};
  (void)self;
  (void)object;
  if (strcmp(service, SZ_OPTIMIZER) == 0) return strcmp(name, "plain_sgd") == 0 ? &optimizer : NULL;
  if (strcmp(service, SZ_SCHEDULE) == 0) return &schedule;
  return strcmp(service, SZ_SCORER) == 0 ? &scorer : NULL;
}

static sz_error* judge(void* self, const sz_step_facts* facts, sz_vote* vote) {
  (void)self;
  if (facts->loss > 10) {
    vote->verdict = SZ_ROLL_BACK;
    vote->reason = "loss above 10";
    vote->keep_data_position = 1;
  }
  return NULL;
}

static sz_error* on(void* self, const sz_hook_info* info) {
  const services* s = self;
  const sz_services* api = NULL;
  const sz_metrics* metrics = NULL;
  const sz_text_item item = {{"four", 4}, "en"};
  sz_provider provider = {NULL, NULL, NULL, NULL};
  double result = 0;
  (void)info;
  SZ_TRY(sz_find(s->host, SZ_SERVICES, &api));
  SZ_TRY(sz_find(s->host, SZ_METRICS, &metrics));
  SZ_TRY(api->find(s->host, SZ_SCORER, "test_services", &provider));
  SZ_TRY(((const sz_scorer*)provider.table)->score(provider.object, 1, &item, &result, NULL));
  SZ_TRY(metrics->publish(s->host, "score", result));
  return api->find(s->host, SZ_SCORER, "absent", &provider);
}

static const void* get_extension(void* self, const char* id) {
  static const sz_voter voter = {SZ_SIZED(sz_voter), .judge = judge};
  static const sz_observer observer = {SZ_SIZED(sz_observer), .on = on};
  (void)self;
  if (strcmp(id, SZ_OBSERVER) == 0) return &observer;
  return strcmp(id, SZ_VOTER) == 0 ? &voter : NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_services",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "gives services and votes",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_RUN_BEGIN)),
    .gives = SZ_LIST(sz_give, SZ_GIVE(.service = SZ_OPTIMIZER, .name = "plain_sgd"),
        SZ_GIVE(.service = SZ_SCHEDULE, .name = "harmonic"), SZ_GIVE(.service = SZ_SCORER)),
    .votes = 1};

SZ_LIFE(services)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .destroy = sz_destroy, .get_extension = get_extension, .provide = provide};
SZ_REGISTER(plugin)
