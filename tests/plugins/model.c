/* A model in C without LibTorch: an embedding table that is the head as well, and a loss of sum(weight x h.h / 2). */
#include <sz/easy.h>
#include <sz/host/model.h>
#include <sz/host/tensor.h>

typedef struct {
  const sz_host* host;
  const sz_tensor_api* tensor;
  const sz_model_api* model;
  sz_bool forget_backward;
} model;

static sz_error* look(const model* m, sz_tensor* tensor, sz_tensor_info* info) {
  info->struct_size = sizeof(*info);
  return m->tensor->describe(m->host, tensor, info);
}

/* A new tensor at the end of `list`, and where its elements are. */
static sz_error* make(const model* m, sz_dtype dtype, uint32_t ndim, const int64_t* shape, sz_tensor_list* list,
                      void** data) {
  sz_tensor* tensor = NULL;
  sz_tensor_info info;
  SZ_TRY(m->tensor->create(m->host, dtype, ndim, shape, &tensor));
  SZ_TRY(look(m, tensor, &info));
  *data = info.data;
  memset(info.data, 0, (size_t)info.numel * (dtype == SZ_U8 ? 1 : 4));
  sz_error* error = m->tensor->append(m->host, list, tensor);
  m->tensor->release(m->host, tensor);
  return error;
}

/* hidden[r, c, :] = table[ids[r, c], :] */
static sz_error* embed(void* segment, const sz_segment_context* context, sz_tensors parameters, sz_tensors inputs,
                       sz_tensor_list* outputs, sz_tensor_list* saved) {
  const model* m = segment;
  sz_tensor_info table, ids;
  void* out = NULL;
  (void)context;
  (void)saved;
  SZ_TRY(look(m, parameters.items[0], &table));
  SZ_TRY(look(m, inputs.items[0], &ids));
  const int64_t width = table.shape[1], shape[] = {ids.shape[0], ids.shape[1], width};
  SZ_TRY(make(m, SZ_F32, 3, shape, outputs, &out));
  for (int64_t i = 0; i < ids.numel; ++i) {
    memcpy((float*)out + i * width, (const float*)table.data + ((const int64_t*)ids.data)[i] * width,
           (size_t)width * sizeof(float));
  }
  return NULL;
}

static sz_error* embed_backward(void* segment, const sz_segment_context* context, sz_tensors parameters,
                                sz_tensors inputs, sz_tensors saved, sz_tensors grad_outputs,
                                sz_tensor_list* grad_inputs, sz_tensor_list* grad_parameters) {
  const model* m = segment;
  sz_tensor_info table, ids, grad;
  void* out = NULL;
  (void)context;
  (void)saved;
  SZ_TRY(look(m, parameters.items[0], &table));
  SZ_TRY(look(m, inputs.items[0], &ids));
  SZ_TRY(look(m, grad_outputs.items[0], &grad));
  SZ_TRY(m->tensor->append(m->host, grad_inputs, NULL));
  SZ_TRY(make(m, SZ_F32, 2, table.shape, grad_parameters, &out));
  for (int64_t i = 0; i < ids.numel; ++i) {
    for (int64_t j = 0; j < table.shape[1]; ++j) {
      ((float*)out)[((const int64_t*)ids.data)[i] * table.shape[1] + j] +=
          ((const float*)grad.data)[i * table.shape[1] + j];
    }
  }
  return NULL;
}

static const sz_segment embedding = {SZ_SIZED(sz_segment), .forward = embed, .backward = embed_backward};
static const sz_segment careless = {SZ_SIZED(sz_segment), .forward = embed};

static sz_error* declare(void* object, const sz_model_options* options, sz_model* target) {
  model* m = object;
  const int64_t shape[] = {options->vocabulary, options->width};
  const sz_parameter_info table = {SZ_SIZED(sz_parameter_info), .ndim = 2, .name = "table", .shape = shape,
      .role = SZ_ROLE_EMBEDDING, .init = SZ_INIT_NORMAL, .init_std = 0.02, .decay = 1, .trainable = 1};
  int64_t index = 0;
  SZ_TRY(m->model->add_parameter(m->host, target, &table, &index));
  const int32_t used[] = {(int32_t)index};
  const sz_segment_info first = {SZ_SIZED(sz_segment_info), .parameter_count = 1, .name = "embed", .parameters = used};
  const sz_segment_info last = {SZ_SIZED(sz_segment_info), .parameter_count = 1, .name = "loss", .parameters = used};
  SZ_TRY(m->model->add_segment(m->host, target, &first, m->forget_backward ? &careless : &embedding, m));
  SZ_TRY(m->model->add_loss(m->host, target, &last));
  return m->model->set_head(m->host, target, &first, &embedding, m);
}

static sz_error* compute(void* object, sz_tensor* hidden, sz_tensors head, sz_tensor* labels, sz_tensor* token_weight,
                         sz_bool want_gradients, sz_tensor_list* results) {
  const model* m = object;
  sz_tensor_info h, w, table;
  void *scalar, *loss, *correct, *grad = NULL, *grad_head = NULL;
  (void)labels;
  SZ_TRY(look(m, hidden, &h));
  SZ_TRY(look(m, token_weight, &w));
  SZ_TRY(look(m, head.items[0], &table));
  SZ_TRY(make(m, SZ_F32, 0, NULL, results, &scalar));
  SZ_TRY(make(m, SZ_F32, 2, w.shape, results, &loss));
  SZ_TRY(make(m, SZ_U8, 2, w.shape, results, &correct));
  if (want_gradients) {
    SZ_TRY(make(m, SZ_F32, 3, h.shape, results, &grad));
    SZ_TRY(make(m, SZ_F32, 2, table.shape, results, &grad_head));
  }
  for (int64_t i = 0; i < w.numel; ++i) {
    const float weight = ((const float*)w.data)[i];
    for (int64_t j = 0; j < h.shape[2]; ++j) {
      const float x = ((const float*)h.data)[i * h.shape[2] + j];
      ((float*)loss)[i] += x * x / 2;
      if (grad) ((float*)grad)[i * h.shape[2] + j] = weight * x;
    }
    ((float*)scalar)[0] += weight * ((float*)loss)[i];
  }
  return NULL;
}

static const void* provide(void* self, const char* service, const char* name, void** object) {
  static const sz_architecture architecture = {SZ_SIZED(sz_architecture), .declare = declare};
  static const sz_loss loss = {SZ_SIZED(sz_loss), .compute = compute};
  (void)self;
  (void)name;
  (void)object;
  if (strcmp(service, SZ_ARCHITECTURE) == 0) return &architecture;
  return strcmp(service, SZ_LOSS) == 0 ? &loss : NULL;
}

static sz_error* start(void* self) {
  model* m = self;
  const sz_config* config = NULL;
  SZ_TRY(sz_find(m->host, SZ_TENSOR, &m->tensor));
  SZ_TRY(sz_find(m->host, SZ_MODEL, &m->model));
  SZ_TRY(sz_find(m->host, SZ_CONFIG, &config));
  return config->get_bool(m->host, "forget_backward", &m->forget_backward);
}

static const sz_descriptor descriptor = {SZ_SIZED(sz_descriptor), .draft = SZ_DRAFT, .id = "test_model",
    .version = "1.0.0", .licence = "Apache-2.0", .summary = "an architecture and a loss in C",
    .gives = SZ_LIST(sz_give, SZ_GIVE(.service = SZ_ARCHITECTURE, .name = "table"),
        SZ_GIVE(.service = SZ_LOSS, .name = "squares")),
    .keys = SZ_LIST(sz_key, SZ_KEY(.name = "forget_backward", .type = SZ_KEY_BOOL, .default_toml = "false",
        .help = "declare a segment without a backward"))};

SZ_LIFE(model)
static const sz_plugin plugin = {SZ_SIZED(sz_plugin), .abi = SZ_ABI_VERSION, .descriptor = &descriptor,
    .create = sz_create, .start = start, .destroy = sz_destroy, .provide = provide};
SZ_REGISTER(plugin)
