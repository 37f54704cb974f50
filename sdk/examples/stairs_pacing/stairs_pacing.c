/* A pacing of one's own, without writing a sampler: the difficulty threshold goes up by `rise` every `tread` steps, but
 * waits on a stair while the losses of the last steps lie far apart. Used by
 *
 *   [plugins.stairs_pacing]
 *   enabled = true
 *   [plugins.curriculum_dual_loop]
 *   adjustment_strategy = "stairs"
 */
#include <stdio.h>

#include <sz/easy.h>
#include <sz/services.h>

typedef struct {
  const sz_host* host;
  int64_t tread;
  double rise, calm;
  char cause[80];
} stairs;

static sz_error* start(void* self) {
  stairs* s = self;
  const sz_config* config = NULL;
  SZ_TRY(sz_find(s->host, SZ_CONFIG, &config));
  SZ_TRY(config->get_int(s->host, "tread", &s->tread));
  SZ_TRY(config->get_float(s->host, "rise", &s->rise));
  return config->get_float(s->host, "calm", &s->calm);
}

/* Called after each step and at each epoch's end (then with buckets). The threshold stays where nothing is written. */
static sz_error* pace(void* object, const sz_pacing_signals* signals, double* threshold, const char** cause) {
  stairs* s = object;
  *threshold = signals->threshold;
  *cause = NULL;
  if (signals->warming_up || signals->bucket_count > 0 || signals->step % s->tread != 0) return NULL;
  if (signals->window_loss_std > s->calm) return NULL;
  *threshold = signals->threshold + s->rise;
  snprintf(s->cause, sizeof(s->cause), "stairs: %lld steps done", (long long)signals->step);
  *cause = s->cause;
  return NULL;
}

static const void* provide(void* self, const char* service, const char* name, void** object) {
  static const sz_pacing pacing = {SZ_SIZED(sz_pacing), .pace = pace};
  (void)self, (void)name, (void)object;
  return strcmp(service, SZ_PACING) == 0 ? &pacing : NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "stairs_pacing",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "raises the difficulty in stairs",
    .summary_zh = "难度按台阶上升",
    .gives = SZ_LIST(sz_give, SZ_GIVE(.service = SZ_PACING, .name = "stairs")),
    .keys = SZ_LIST(sz_key,
        SZ_KEY(.name = "tread", .type = SZ_KEY_INT, .default_toml = "100", .min = 1, .max = 1e9, .unit = "steps",
               .help = "steps between two stairs"),
        SZ_KEY(.name = "rise", .type = SZ_KEY_FLOAT, .default_toml = "0.05", .min = 0, .max = 1,
               .help = "what a stair adds to the threshold"),
        SZ_KEY(.name = "calm", .type = SZ_KEY_FLOAT, .default_toml = "1.0", .min = 0, .max = 1e6,
               .help = "highest standard deviation of the losses at which a stair is taken"))};

SZ_LIFE(stairs)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .start = start, .destroy = sz_destroy, .provide = provide};
SZ_REGISTER(plugin)
