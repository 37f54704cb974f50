/* Calls the host's interfaces and writes down, as metrics, what they answered. */
#include <pthread.h>
#include <sz/easy.h>
#include <sz/host/alloc.h>
#include <sz/host/comm.h>
#include <sz/host/data.h>
#include <sz/host/model.h>
#include <sz/host/rng.h>
#include <sz/host/services.h>
#include <sz/host/tensor.h>

typedef struct {
  const sz_host* host;
  const sz_metrics* metrics;
  const sz_decisions* decisions;
  const sz_events* events;
  const sz_run* run;
  const sz_data* data;
  const sz_model_api* model;
  const sz_rng* rng;
  const sz_tensor_api* tensor;
  const sz_comm* comm;
  uint32_t share;
  int64_t window;
  sz_code early; /* of a call that start may not make */
} probe;

/* The error's code; frees it. */
static sz_code code_of(const probe* p, sz_error* error) {
  const sz_code code = p->host->offer->error_code(error);
  p->host->offer->free_error(error);
  return code;
}

static sz_error* on_ping(void* context, const sz_event* event) {
  const probe* p = context;
  return p->metrics->publish(p->host, "ping", event->fields[0].value.as.number);
}

static sz_error* start(void* self) {
  probe* p = self;
  const sz_config* config = NULL;
  const sz_string* names = NULL;
  const double* numbers = NULL;
  uint64_t count = 0;
  SZ_TRY(sz_find(p->host, SZ_CONFIG, &config));
  SZ_TRY(sz_find(p->host, SZ_METRICS, &p->metrics));
  SZ_TRY(sz_find(p->host, SZ_DECISIONS, &p->decisions));
  SZ_TRY(sz_find(p->host, SZ_EVENTS, &p->events));
  SZ_TRY(sz_find(p->host, SZ_RUN, &p->run));
  SZ_TRY(sz_find(p->host, SZ_DATA, &p->data));
  SZ_TRY(sz_find(p->host, SZ_MODEL, &p->model));
  SZ_TRY(sz_find(p->host, SZ_RNG, &p->rng));
  SZ_TRY(sz_find(p->host, SZ_TENSOR, &p->tensor));
  SZ_TRY(sz_find(p->host, SZ_COMM, &p->comm));
  SZ_TRY(config->get_int(p->host, "window", &p->window));
  SZ_TRY(config->get_string_list(p->host, "names", &names, &count));
  if (count != 2 || strcmp(names[1].ptr, "二") != 0) return sz_fail(p->host, SZ_PLUGIN_FAILED, "names are wrong");
  SZ_TRY(config->get_float_list(p->host, "numbers", &numbers, &count));
  if (count != 2 || numbers[1] != 0.5) return sz_fail(p->host, SZ_PLUGIN_FAILED, "numbers are wrong");
  SZ_TRY(p->run->add_scalar(p->host, "share", &p->share));
  SZ_TRY(p->events->subscribe(p->host, "ping", on_ping, p));
  p->early = code_of(p, p->metrics->publish(p->host, "early", 1));
  return NULL;
}

static void* publish_elsewhere(void* context) {
  const probe* p = context;
  return p->metrics->publish(p->host, "elsewhere", 1);
}

static sz_error* on_step_begin(const probe* p, const sz_hook_info* info) {
  const sz_field fields[] = {{"value", sz_float(7.5)}};
  SZ_TRY(p->metrics->publish(p->host, "window", (double)p->window));
  SZ_TRY(p->metrics->publish(p->host, "step", (double)info->step));
  SZ_TRY(p->metrics->publish(p->host, "early", (double)p->early));
  SZ_TRY(p->run->set_scalar(p->host, p->share, 2.5));
  SZ_TRY(p->metrics->publish(p->host, "others_scalar", code_of(p, p->run->set_scalar(p->host, 1000, 1))));
  SZ_TRY(p->events->publish(p->host, "ping", 1, fields));
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, publish_elsewhere, (void*)p);
  pthread_join(thread, &result);
  return p->metrics->publish(p->host, "elsewhere", code_of(p, result));
}

static sz_error* on_model_declared(const probe* p, const sz_hook_info* info) {
  const int64_t shape[] = {2, 3};
  const sz_parameter_info added = {SZ_SIZED(sz_parameter_info), .ndim = 2, .name = "probe.extra", .shape = shape,
      .role = SZ_ROLE_MATRIX, .init = SZ_INIT_ZEROS, .decay = 1, .trainable = 1};
  int64_t index = -1;
  SZ_TRY(p->model->add_parameter(p->host, info->model, &added, &index));
  SZ_TRY(p->model->give_to_segment(p->host, info->model, 0, index));
  SZ_TRY(p->model->set_trainable(p->host, info->model, 0, 0));
  SZ_TRY(p->metrics->publish(p->host, "twice", code_of(p, p->model->add_parameter(p->host, NULL, &added, NULL))));
  return p->metrics->publish(p->host, "parameters", (double)p->model->parameter_count(p->host, NULL));
}

static sz_error* on_step_end(const probe* p) {
  sz_string text = {NULL, 0};
  SZ_TRY(p->data->text(p->host, SZ_TRAIN, 1, &text));
  SZ_TRY(p->metrics->publish(p->host, "text_bytes", (double)text.len));
  SZ_TRY(p->metrics->publish(p->host, "no_sample", code_of(p, p->data->text(p->host, SZ_TRAIN, 99, &text))));
  SZ_TRY(p->metrics->publish(p->host, "late", code_of(p, p->model->set_trainable(p->host, NULL, 0, 1))));
  SZ_TRY(p->metrics->publish(p->host, "rank", (double)p->comm->rank(p->host)));
  sz_work* work = NULL;
  double x = 1;
  SZ_TRY(p->metrics->publish(p->host, "collective",
      code_of(p, p->comm->all_reduce(p->host, SZ_CHANNEL_REDUCE, &x, 1, SZ_F64, &work))));
  uint32_t drawn[4];
  p->rng->draw(p->rng->key(p->host, "test"), 3, 0, drawn);
  SZ_TRY(p->metrics->publish(p->host, "drawn", drawn[0]));

  const int64_t shape[] = {2, 3};
  sz_tensor *made = NULL, *other = NULL;
  sz_tensor_info info = {SZ_SIZED(sz_tensor_info)};
  SZ_TRY(p->tensor->create(p->host, SZ_F32, 2, shape, &made));
  SZ_TRY(p->tensor->create(p->host, SZ_F64, 2, shape, &other));
  SZ_TRY(p->tensor->describe(p->host, made, &info));
  for (int64_t i = 0; i < info.numel; ++i) ((float*)info.data)[i] = (float)i;
  SZ_TRY(p->tensor->copy(p->host, other, made));
  SZ_TRY(p->tensor->describe(p->host, other, &info));
  SZ_TRY(p->metrics->publish(p->host, "copied", ((double*)info.data)[5]));
  struct DLManagedTensorVersioned* view = NULL;
  SZ_TRY(p->tensor->to_dlpack(p->host, other, &view));
  p->tensor->release(p->host, other);
  SZ_TRY(p->tensor->from_dlpack(p->host, view, &other));
  SZ_TRY(p->tensor->describe(p->host, other, &info));
  SZ_TRY(p->metrics->publish(p->host, "dlpack", ((double*)info.data)[5]));
  p->tensor->release(p->host, other);
  p->tensor->release(p->host, made);
  return NULL;
}

static sz_error* on_verdict(const probe* p, const sz_hook_info* info) {
  const sz_field fields[] = {{"note", sz_text("数")}};
  SZ_TRY(p->metrics->publish(p->host, "scalar", info->facts->scalar_values[0]));
  SZ_TRY(p->run->request(p->host, SZ_REQUEST_SAVE, "the probe wants one"));
  return p->decisions->record(p->host, &(sz_decision){SZ_SIZED(sz_decision), .what = "probing", .cause = "a test",
      .from = sz_int(1), .to = sz_float(info->facts->loss), .field_count = 1, .fields = fields});
}

static sz_error* on_eval_begin(const probe* p) {
  const char* const names[] = {"even", "odd"};
  const int32_t groups[] = {0, 1, 0, 1};
  return p->run->set_eval_groups(p->host, 2, names, 4, groups);
}

static sz_error* on(void* self, const sz_hook_info* info) {
  switch (info->hook) {
    case SZ_MODEL_DECLARED: return on_model_declared(self, info);
    case SZ_STEP_BEGIN: return on_step_begin(self, info);
    case SZ_VERDICT: return on_verdict(self, info);
    case SZ_STEP_END: return on_step_end(self);
    case SZ_EVAL_BEGIN: return on_eval_begin(self);
    default: return NULL;
  }
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_probe",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "asks the host everything", .summary_zh = "试探宿主",
    .hooks = SZ_LIST(sz_hook_use, SZ_HOOK(.hook = SZ_MODEL_DECLARED), SZ_HOOK(.hook = SZ_STEP_BEGIN),
        SZ_HOOK(.hook = SZ_VERDICT), SZ_HOOK(.hook = SZ_STEP_END), SZ_HOOK(.hook = SZ_EVAL_BEGIN)),
    .needs = SZ_LIST(sz_need, SZ_NEED(.kind = SZ_NEED_INTERFACE, .id = SZ_TENSOR)),
    .keys = SZ_LIST(sz_key,
        SZ_KEY(.name = "window", .type = SZ_KEY_INT, .default_toml = "8", .min = 1, .max = 100, .unit = "steps",
               .help = "how far to look back"),
        SZ_KEY(.name = "names", .type = SZ_KEY_STRING_LIST, .default_toml = "[\"one\", \"二\"]", .help = "two names"),
        SZ_KEY(.name = "numbers", .type = SZ_KEY_FLOAT_LIST, .default_toml = "[1.0, 0.5]", .help = "two numbers"))};

SZ_REGISTER_OBSERVER(probe, descriptor, start, on)
