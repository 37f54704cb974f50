/* Watches STEP_END and EVAL_END; its third STEP_END fails, on one rank where fail_rank says so. */
#include <sz/easy.h>
#include <sz/host/comm.h>

typedef struct {
  const sz_host* host;
  int64_t fail_rank, rank, steps;
  sz_bool fail_start;
} failing;

static sz_error* start(void* self) {
  failing* f = self;
  const sz_config* config = NULL;
  const sz_comm* comm = NULL;
  SZ_TRY(sz_find(f->host, SZ_CONFIG, &config));
  SZ_TRY(sz_find(f->host, SZ_COMM, &comm));
  SZ_TRY(config->get_int(f->host, "fail_rank", &f->fail_rank));
  SZ_TRY(config->get_bool(f->host, "fail_start", &f->fail_start));
  f->rank = comm->rank(f->host);
  return f->fail_start ? sz_fail(f->host, SZ_DATA_BAD, "it was told to fail at start") : NULL;
}

static sz_error* on(void* self, const sz_hook_info* info) {
  failing* f = self;
  if (info->hook != SZ_STEP_END || ++f->steps != 3) return NULL;
  if (f->fail_rank >= 0 && f->fail_rank != f->rank) return NULL;
  return sz_fail(f->host, SZ_PLUGIN_FAILED, "it was told to fail at its third step");
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_failing",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "an observer that fails",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_STEP_END), SZ_HOOK(.hook = SZ_EVAL_END)),
    .keys = SZ_LIST(sz_key,
        SZ_KEY(.name = "fail_rank", .type = SZ_KEY_INT, .default_toml = "-1", .help = "the rank that fails; -1: all",
               .min = -1, .max = 1000),
        SZ_KEY(.name = "fail_start", .type = SZ_KEY_BOOL, .default_toml = "false", .help = "fail in start"))};

SZ_REGISTER_OBSERVER(failing, descriptor, start, on)
