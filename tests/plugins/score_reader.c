/* Asks sz.data/1 for the scores of all samples, as a sampler would, and publishes what it got. */
#include <sz/easy.h>
#include <sz/host/data.h>

typedef struct {
  const sz_host* host;
  const sz_metrics* metrics;
  const sz_data* data;
  sz_string scorer;
  double mean[2];
} score_reader;

static sz_error* start(void* self) {
  score_reader* r = self;
  const sz_config* config = NULL;
  SZ_TRY(sz_find(r->host, SZ_CONFIG, &config));
  SZ_TRY(sz_find(r->host, SZ_METRICS, &r->metrics));
  SZ_TRY(sz_find(r->host, SZ_DATA, &r->data));
  return config->get_string(r->host, "scorer", &r->scorer);
}

static sz_error* mean_of(score_reader* r, sz_split split, double* mean) {
  const uint64_t count = (uint64_t)r->data->count(r->host, split);
  double* scores = malloc((count + 1) * sizeof(double));
  sz_error* error = r->data->scores(r->host, split, r->scorer.ptr, count, scores);
  *mean = 0;
  for (uint64_t i = 0; error == NULL && i < count; ++i) *mean += scores[i] / (double)count;
  free(scores);
  return error;
}

static sz_error* on(void* self, const sz_hook_info* info) {
  score_reader* r = self;
  if (info->hook == SZ_MODEL_DECLARED) {
    SZ_TRY(mean_of(r, SZ_TRAIN, &r->mean[0]));
    return mean_of(r, SZ_VALIDATION, &r->mean[1]);
  }
  SZ_TRY(r->metrics->publish(r->host, "train", r->mean[0]));
  return r->metrics->publish(r->host, "validation", r->mean[1]);
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_score_reader",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "mean score of each split",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_MODEL_DECLARED), SZ_HOOK(.hook = SZ_STEP_BEGIN)),
    .keys = SZ_LIST(sz_key, SZ_KEY(.name = "scorer", .type = SZ_KEY_STRING, .default_toml = "\"length\"",
                                   .help = "whose scores"))};

SZ_REGISTER_OBSERVER(score_reader, descriptor, start, on)
