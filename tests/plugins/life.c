/* Writes down when it starts, stops and is destroyed, in the file that `trace` names. */
#include <stdio.h>
#include <sz/easy.h>

typedef struct {
  const sz_host* host;
  char trace[4096];
} life;

static void note(const life* l, const char* what) {
  FILE* file = l->trace[0] ? fopen(l->trace, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%s %s\n", PLUGIN_ID, what);
  fclose(file);
}

static sz_error* start(void* self) {
  life* l = self;
  const sz_config* config = NULL;
  sz_string trace;
  sz_bool fail = 0;
  SZ_TRY(sz_find(l->host, SZ_CONFIG, &config));
  SZ_TRY(config->get_string(l->host, "trace", &trace));
  SZ_TRY(config->get_bool(l->host, "fail", &fail));
  if (trace.len >= sizeof(l->trace)) return sz_fail(l->host, SZ_USAGE, "the path is too long");
  memcpy(l->trace, trace.ptr, trace.len + 1);
  note(l, "start");
  return fail ? sz_fail(l->host, SZ_PLUGIN_FAILED, "it was told to fail") : NULL;
}

static sz_error* create(const sz_host* host, void** self) {
  life* made = calloc(1, sizeof(life));
  if (made == NULL) return sz_fail(host, SZ_EXHAUSTED, "no memory for the plugin");
  made->host = host;
  *self = made;
  /* No host calls in create: interfaces aren't there yet. */
  if (host->get_interface(host, SZ_CONFIG) == NULL) return NULL;
  free(made);
  return sz_fail(host, SZ_INTERNAL, "the host gave an interface in create");
}

static void stop(void* self) { note(self, "stop"); }

static void destroy(void* self) {
  note(self, "destroy");
  free(self);
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = PLUGIN_ID,
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "traces its life",
#ifdef NEEDED_ID
    .needs = SZ_LIST(sz_need, SZ_NEED(.kind = SZ_NEED_PLUGIN, .id = NEEDED_ID)),
#endif
    .keys = SZ_LIST(sz_key,
        SZ_KEY(.name = "trace", .type = SZ_KEY_STRING, .default_toml = "\"\"", .per_host = 1,
               .help = "file to append to"),
        SZ_KEY(.name = "fail", .type = SZ_KEY_BOOL, .default_toml = "false", .help = "fail in start"))};

static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = create, .start = start, .stop = stop, .destroy = destroy};
SZ_REGISTER(plugin)
