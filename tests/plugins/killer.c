/* Kills its own process, on one rank, where the second attempt comes to a segment: the other ranks are left waiting
 * for what this one was to give. */
#include <signal.h>
#include <sz/easy.h>
#include <sz/host/comm.h>
#include <unistd.h>

typedef struct {
  const sz_host* host;
  int64_t kill_rank, segment, rank;
  sz_bool backward;
} killer;

static sz_error* start(void* self) {
  killer* k = self;
  const sz_config* config = NULL;
  const sz_comm* comm = NULL;
  SZ_TRY(sz_find(k->host, SZ_CONFIG, &config));
  SZ_TRY(sz_find(k->host, SZ_COMM, &comm));
  SZ_TRY(config->get_int(k->host, "kill_rank", &k->kill_rank));
  SZ_TRY(config->get_int(k->host, "segment", &k->segment));
  SZ_TRY(config->get_bool(k->host, "backward", &k->backward));
  k->rank = comm->rank(k->host);
  return NULL;
}

static sz_error* on(void* self, const sz_hook_info* info) {
  const killer* k = self;
  const sz_hook wanted = k->backward ? SZ_SEGMENT_BACKWARD : SZ_SEGMENT_FORWARD;
  if (info->hook != wanted || info->attempt != 2 || info->segment != k->segment || k->rank != k->kill_rank) return NULL;
  kill(getpid(), SIGKILL);
  return NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_killer",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "kills a rank in the middle of a step",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_SEGMENT_FORWARD), SZ_HOOK(.hook = SZ_SEGMENT_BACKWARD)),
    .keys = SZ_LIST(sz_key,
        SZ_KEY(.name = "kill_rank", .type = SZ_KEY_INT, .default_toml = "1", .help = "who", .min = 0, .max = 1000),
        SZ_KEY(.name = "segment", .type = SZ_KEY_INT, .default_toml = "1", .help = "where", .min = 0, .max = 1000),
        SZ_KEY(.name = "backward", .type = SZ_KEY_BOOL, .default_toml = "false", .help = "in backward"))};

SZ_REGISTER_OBSERVER(killer, descriptor, start, on)
