/* A scorer in C: a text is as hard as its sentences are long, in characters. Other plugins and `szlaunch data scores`
 * find it by the name "length". */
#include <sz/easy.h>
#include <sz/services.h>

typedef struct {
  const sz_host* host;
  double longest; /* scores are cut here */
} scorer;

static sz_error* start(void* self) {
  scorer* s = self;
  const sz_config* config = NULL;
  SZ_TRY(sz_find(s->host, SZ_CONFIG, &config));
  return config->get_float(s->host, "longest", &s->longest);
}

/* Characters, without the bytes that continue one, for each full stop in either language. */
static double length_of_sentences(sz_string text) {
  uint64_t characters = 0, stops = 0;
  for (uint64_t i = 0; i < text.len; ++i) {
    const unsigned char byte = (unsigned char)text.ptr[i];
    characters += (byte & 0xC0) != 0x80;
    stops += byte == '.' || (i + 2 < text.len && memcmp(text.ptr + i, "\xE3\x80\x82", 3) == 0);
  }
  return (double)characters / (double)(stops > 0 ? stops : 1);
}

static sz_error* score(void* self, uint64_t count, const sz_text_item* items, double* scores, uint32_t* route) {
  const scorer* s = self;
  for (uint64_t i = 0; i < count; ++i) {
    const double length = length_of_sentences(items[i].text);
    scores[i] = length < s->longest ? length : s->longest;
    if (route != NULL) route[i] = 0;
  }
  return NULL;
}

static const sz_scorer table = {SZ_SIZED(sz_scorer), .version = 1, .routes = SZ_NAMES("characters"), .score = score};

static const void* provide(void* self, const char* service, const char* name, void** object) {
  (void)self, (void)name, (void)object;
  return strcmp(service, SZ_SCORER) == 0 ? &table : NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "scorer_length",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "difficulty of a text by the length of its sentences",
    .gives = SZ_LIST(sz_give, SZ_GIVE(.service = SZ_SCORER, .name = "length")),
    .keys = SZ_LIST(sz_key, SZ_KEY(.name = "longest", .type = SZ_KEY_FLOAT, .default_toml = "1000.0", .min = 1,
                                   .max = 1e9, .unit = "characters", .help = "longer sentences count as this long"))};

SZ_LIFE(scorer)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .start = start, .destroy = sz_destroy, .provide = provide};
SZ_REGISTER(plugin)
