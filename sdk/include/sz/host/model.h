/* sz.model/1: the model as data: parameters and segments. Draft. */
#ifndef SZ_HOST_MODEL_H
#define SZ_HOST_MODEL_H

#include <sz/base.h>
#include <sz/services.h>

SZ_BEGIN_C

typedef uint32_t sz_role;
enum { SZ_ROLE_EMBEDDING = 0, SZ_ROLE_POSITION = 1, SZ_ROLE_NORM = 2, SZ_ROLE_BIAS = 3, SZ_ROLE_MATRIX = 4 };

typedef uint32_t sz_init;
enum { SZ_INIT_ZEROS = 0, SZ_INIT_ONES = 1, SZ_INIT_NORMAL = 2 };

/* Pointers got from the host are lent until the model changes. */
typedef struct sz_parameter_info {
  uint32_t struct_size;
  uint32_t ndim;
  const char* name; /* "block.0.attention.qkv.weight" */
  const int64_t* shape;
  sz_role role;
  sz_init init;
  double init_std;
  sz_bool decay; /* takes weight decay */
  sz_bool trainable;
} sz_parameter_info;

typedef struct sz_segment_info {
  uint32_t struct_size;
  uint32_t parameter_count;
  const char* name;          /* "block.0.attention" */
  const int32_t* parameters; /* indices; one that stands in several segments is shared (tied) */
} sz_segment_info;

/* `model` is the one of sz_hook_info, of a slot's table, or NULL for the run's, which is there from MODEL_DECLARED on.
 * What changes it is allowed inside MODEL_DECLARED and sz_architecture::declare alone. */
#define SZ_MODEL "sz.model/1"
typedef struct sz_model_api {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] */
  int64_t (*parameter_count)(const sz_host* host, const sz_model* model);
  int64_t (*segment_count)(const sz_host* host, const sz_model* model);
  int64_t (*vocabulary)(const sz_host* host, const sz_model* model);
  int64_t (*context)(const sz_host* host, const sz_model* model);
  sz_error* (*parameter)(const sz_host* host, const sz_model* model, int64_t index, sz_parameter_info* info);
  int64_t (*find_parameter)(const sz_host* host, const sz_model* model, const char* name); /* -1: none */
  /* index -1: the head, hidden -> logits, for generation. */
  sz_error* (*segment)(const sz_host* host, const sz_model* model, int64_t index, sz_segment_info* info);

  /* [main; MODEL_DECLARED, declare] */
  sz_error* (*add_parameter)(const sz_host* host, sz_model* model, const sz_parameter_info* info, int64_t* index);
  /* Hands the parameter to the segment behind those that it takes already; who adds it substitutes it in turn. */
  sz_error* (*give_to_segment)(const sz_host* host, sz_model* model, int64_t segment, int64_t parameter);
  sz_error* (*set_trainable)(const sz_host* host, sz_model* model, int64_t parameter, sz_bool trainable);
  sz_error* (*set_decay)(const sz_host* host, sz_model* model, int64_t parameter, sz_bool decay);
  /* Wherever `gone` stood `kept` stands from now on; their shapes must be equal. `gone` keeps its index, unused. */
  sz_error* (*tie)(const sz_host* host, sz_model* model, int64_t kept, int64_t gone);
  /* [main; declare] Appends a segment; `table` and `segment` live until the plugin is destroyed. */
  sz_error* (*add_segment)(const sz_host* host, sz_model* model, const sz_segment_info* info, const sz_segment* table,
                           void* segment);
  sz_error* (*set_head)(const sz_host* host, sz_model* model, const sz_segment_info* info, const sz_segment* table,
                        void* segment);
  /* [main; declare] Appends the runtime's loss segment over the configured sz.loss/1, with the head's parameters. */
  sz_error* (*add_loss)(const sz_host* host, sz_model* model, const sz_segment_info* info);

  /* [any; run] Initial values of elements [begin, end) of the flattened parameter: a pure function of (seed, name,
   * element). */
  sz_error* (*initialise)(const sz_host* host, const sz_model* model, int64_t parameter, uint64_t seed, int64_t begin,
                          int64_t end, float* out);
} sz_model_api;

SZ_END_C
#endif
