/* Claims the slot precision unless its level is O0: a fixed loss scale of 1024, skips what isn't finite. At O9 its plan
   asks for what no runtime serves. */
#include <math.h>
#include <sz/easy.h>
#include <sz/host/config.h>
#include <sz/host/model.h>
#include <sz/host/state.h>
#include <sz/slots.h>

typedef struct {
  const sz_host* host;
  double scale;
  sz_string level;
} slot;

static sz_error* start(void* self) {
  slot* s = self;
  const sz_config* config = NULL;
  s->scale = 1024;
  SZ_TRY(sz_find(s->host, SZ_CONFIG, &config));
  return config->get_string(s->host, "level", &s->level);
}

static sz_error* plan(void* self, const sz_model* model, sz_parameter_dtypes* parameters, sz_segment_dtypes* segments) {
  const slot* s = self;
  const sz_model_api* api = NULL;
  SZ_TRY(sz_find(s->host, SZ_MODEL, &api));
  for (int64_t i = 0; i < api->parameter_count(s->host, model); ++i) {
    sz_parameter_info info = {SZ_SIZED(sz_parameter_info)};
    SZ_TRY(api->parameter(s->host, model, i, &info));
    if (info.role == SZ_ROLE_MATRIX) parameters[i].compute = SZ_F16;
    if (info.role == SZ_ROLE_MATRIX && s->level.ptr[1] == '9') parameters[i].accumulate = SZ_F64;
  }
  segments[0].autocast = 1;
  return NULL;
}

static double scale(void* self) { return ((slot*)self)->scale; }

static sz_error* judge(void* self, const sz_step_facts* facts, sz_vote* vote) {
  if (facts->non_finite > 0) {
    ((slot*)self)->scale /= 2;
    vote->verdict = SZ_SKIP;
    vote->reason = "gradients are not finite";
  } else {
    vote->has_clip = 1;
    vote->clip = 0.5;
  }
  return NULL;
}

static sz_error* save(void* self, const sz_sink* out) { return out->write(out->context, &((slot*)self)->scale, 8); }

static sz_error* load(void* self, sz_string bytes, uint32_t version) {
  slot* s = self;
  if (version != 3 || bytes.len != 8) return sz_fail(s->host, SZ_CORRUPT, "unknown state");
  memcpy(&s->scale, bytes.ptr, 8);
  return NULL;
}

static const void* get_extension(void* self, const char* id) {
  static const sz_precision precision = {SZ_SIZED(sz_precision), .plan = plan, .scale = scale, .judge = judge};
  static const sz_stateful stateful = {SZ_SIZED(sz_stateful), .save = save, .load = load};
  (void)self;
  if (strcmp(id, SZ_PRECISION) == 0) return &precision;
  return strcmp(id, SZ_STATE) == 0 ? &stateful : NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = PLUGIN_ID,
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "claims the slot precision",
    .slots = SZ_LIST(sz_slot_use, SZ_SLOT(.slot = "precision",
        .when = SZ_LIST(sz_condition, SZ_WHEN(.op = SZ_NOT_EQUAL, .key = "level", .values = SZ_NAMES("O0"))))),
    .state = &(const sz_state_use){SZ_SIZED(sz_state_use), .scope = SZ_STATE_CHECKPOINT_AND_ROLLBACK, .version = 3},
    .keys = SZ_LIST(sz_key, SZ_KEY(.name = "level", .type = SZ_KEY_STRING, .default_toml = "\"O2\"",
        .choices = SZ_NAMES("O0", "O2", "O9"), .help = "O0 claims nothing"))};

SZ_LIFE(slot)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .start = start, .destroy = sz_destroy, .get_extension = get_extension};
SZ_REGISTER(plugin)
