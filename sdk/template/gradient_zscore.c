/* Watches the gradient norm: writes its z-score over the last steps as a metric, and a decision when it jumps. */
#include <math.h>
#include <sz/easy.h>

#define MAX_WINDOW 1000

typedef struct {
  const sz_host* host;
  const sz_metrics* metrics;
  const sz_decisions* decisions;
  int64_t window, seen;
  double threshold;
  double norms[MAX_WINDOW]; /* the last `window` of them, as a ring */
} watcher;

static sz_error* start(void* self) {
  watcher* w = self;
  const sz_config* config = NULL;
  SZ_TRY(sz_find(w->host, SZ_CONFIG, &config));
  SZ_TRY(sz_find(w->host, SZ_METRICS, &w->metrics));
  SZ_TRY(sz_find(w->host, SZ_DECISIONS, &w->decisions));
  SZ_TRY(config->get_int(w->host, "window", &w->window));
  return config->get_float(w->host, "threshold", &w->threshold);
}

static sz_error* on_verdict(void* self, const sz_hook_info* info) {
  watcher* w = self;
  const double norm = info->facts->grad_norm;
  if (!isfinite(norm)) return NULL;

  double sum = 0, squares = 0;
  for (int64_t i = 0; i < w->window; ++i) sum += w->norms[i];
  const double mean = sum / (double)w->window;
  for (int64_t i = 0; i < w->window; ++i) squares += (w->norms[i] - mean) * (w->norms[i] - mean);
  const double deviation = sqrt(squares / (double)(w->window - 1));
  const int full = w->seen >= w->window;
  w->norms[w->seen++ % w->window] = norm;
  if (!full || deviation == 0) return NULL;

  const double z = (norm - mean) / deviation;
  SZ_TRY(w->metrics->publish(w->host, "z", z));
  if (fabs(z) < w->threshold) return NULL;
  const sz_field fields[] = {{"z", sz_float(z)}};
  return w->decisions->record(w->host, &(sz_decision){SZ_SIZED(sz_decision), .what = "gradient_norm",
      .cause = "gradient norm jumped", .from = sz_float(mean), .to = sz_float(norm),
      .field_count = 1, .fields = fields});
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "gradient_zscore",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "z-score of each step's gradient norm",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_VERDICT)),
    .keys = SZ_LIST(sz_key,
        SZ_KEY(.name = "window", .type = SZ_KEY_INT, .default_toml = "100", .min = 2, .max = MAX_WINDOW,
               .unit = "steps", .help = "how many steps to compare with"),
        SZ_KEY(.name = "threshold", .type = SZ_KEY_FLOAT, .default_toml = "4.0", .min = 0.1, .max = 100,
               .help = "a jump is a z-score beyond this"))};

SZ_REGISTER_OBSERVER(watcher, descriptor, start, on_verdict)
