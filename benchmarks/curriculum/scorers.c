/* Difficulties for the benchmark's tasks and controls, as providers of sz.scorer/1:
 *   digits       of the numbers that are added, and carries: the graded addition
 *   length       of the text in characters
 *   anti_digits, anti_length    the same, hardest first (anti-curriculum)
 *   shuffled     a hash of the text: an order that has nothing to do with difficulty */
#include <sz/easy.h>
#include <sz/services.h>

typedef struct {
  const sz_host* host;
} scorers;

/* Digits of all lines "21+7=91" (12 + 7 = 19: lowest digit first) of the text, and half a point a carry, a line; 0 for
 * other text. */
static double digits_of(const char* text, uint64_t size) {
  double digits = 0, lines = 0, carries = 0;
  for (uint64_t i = 0; i < size;) {
    int64_t number[2] = {0, 0}, place[2] = {1, 1};
    int which = 0;
    uint64_t end = i;
    for (; end < size && text[end] != '=' && text[end] != '\n'; ++end) {
      if (text[end] == '+' && which == 0) which = 1;
      if (text[end] >= '0' && text[end] <= '9') {
        if (place[which] <= 100000000000000000) { /* longer ones are no sums of the benchmark */
          number[which] += place[which] * (text[end] - '0');
          place[which] *= 10;
        }
        ++digits;
      }
    }
    if (which == 1 && end < size && text[end] == '=') {
      int carry = 0;
      lines += 1;
      for (int64_t a = number[0], b = number[1]; a > 0 || b > 0; a /= 10, b /= 10) {
        carry = (a % 10 + b % 10 + carry) > 9;
        carries += carry;
      }
    }
    while (end < size && text[end] != '\n') ++end;
    i = end + 1;
  }
  return lines > 0 ? (digits + carries / 2) / lines : 0;
}

static double length_of(const char* text, uint64_t size) {
  double characters = 0;
  for (uint64_t i = 0; i < size; ++i) characters += (text[i] & 0xC0) != 0x80;
  return characters;
}

static double hash_of(const char* text, uint64_t size) {
  uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
  for (uint64_t i = 0; i < size; ++i) hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
  hash ^= hash >> 29; /* its high bits alone would still follow the last characters */
  return (double)((hash * 0xBF58476D1CE4E5B9u) >> 11);
}

typedef double (*measure)(const char* text, uint64_t size);
typedef struct {
  const char* name;
  measure of;
  double sign;
} provider;
static const provider providers[] = {{"digits", digits_of, 1},      {"anti_digits", digits_of, -1},
                                     {"length", length_of, 1},      {"anti_length", length_of, -1},
                                     {"shuffled", hash_of, 1}};

static sz_error* score(void* object, uint64_t count, const sz_text_item* items, double* scores, uint32_t* route) {
  const provider* p = object;
  for (uint64_t i = 0; i < count; ++i) {
    scores[i] = p->sign * p->of(items[i].text.ptr, items[i].text.len);
    if (route != NULL) route[i] = 0;
  }
  return NULL;
}

static const void* provide(void* self, const char* service, const char* name, void** object) {
  static const char* const routes[] = {"any", NULL};
  static const sz_scorer table = {SZ_SIZED(sz_scorer), .version = 1, .routes = routes, .score = score};
  (void)self;
  (void)service;
  for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); ++i) {
    if (strcmp(name, providers[i].name) != 0) continue;
    *object = (void*)(uintptr_t)&providers[i];
    return &table;
  }
  return NULL;
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "benchmark_scorers",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "difficulties for the curriculum benchmark",
    .gives = SZ_LIST(sz_give, SZ_GIVE(.service = SZ_SCORER, .name = "digits"),
        SZ_GIVE(.service = SZ_SCORER, .name = "anti_digits"), SZ_GIVE(.service = SZ_SCORER, .name = "length"),
        SZ_GIVE(.service = SZ_SCORER, .name = "anti_length"), SZ_GIVE(.service = SZ_SCORER, .name = "shuffled"))};

SZ_LIFE(scorers)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .destroy = sz_destroy, .provide = provide};
SZ_REGISTER(plugin)
