/* Difficulty of a text: its length in bytes. */
#include <sz/easy.h>
#include <sz/services.h>

typedef struct {
  const sz_host* host;
} length_scorer;

static sz_error* score(void* object, uint64_t count, const sz_text_item* items, double* scores, uint32_t* route) {
  (void)object;
  for (uint64_t i = 0; i < count; ++i) {
    scores[i] = (double)items[i].text.len;
    if (route != NULL) route[i] = 0;
  }
  return NULL;
}

static const void* provide(void* self, const char* service, const char* name, void** object) {
  static const char* const routes[] = {"length", NULL};
  static const sz_scorer scorer = {SZ_SIZED(sz_scorer), .version = 1, .routes = routes, .score = score};
  (void)self;
  (void)name;
  (void)object;
  return strcmp(service, SZ_SCORER) == 0 ? &scorer : NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_length_scorer",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "the longer, the harder",
    .gives = SZ_LIST(sz_give, SZ_GIVE(.service = SZ_SCORER, .name = "length"))};

SZ_LIFE(length_scorer)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .destroy = sz_destroy, .provide = provide};
SZ_REGISTER(plugin)
