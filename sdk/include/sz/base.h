/* The words that all other headers use: versions, strings, values, error codes, element types.
 *
 * Rules of the whole ABI:
 * - Pure C11. Fixed-width integers and enums; no bit fields, varargs, long or C++ types.
 * - A struct that begins with `struct_size` grows at its tail only. Whoever fills it writes sizeof(type), which is the
 *   end of its last field (there is no tail padding); whoever reads it asks SZ_HAS() before a newer field.
 *   A struct without `struct_size` is closed: it never changes.
 * - Lists of growing structs are arrays of pointers that end in NULL.
 * - const char* is UTF-8 that ends in NUL. What is lent dies when the call returns, unless its comment says more.
 * - A fallible function returns sz_error*: NULL is success. See plugin.h for who owns it.
 * - Each function's comment begins with its thread and the states it may be called in:
 *     [main]      the rank's main thread, on which all hooks fire
 *     [io]        a thread that loads data or writes files
 *     [any]       any thread, several at once
 *   and, where it matters, [start] inside start(), [run] between start() and stop(), [stop] inside stop().
 *   A call on the wrong thread or in the wrong state is answered with an error, never with undefined behaviour.
 */
#ifndef SZ_BASE_H
#define SZ_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SZ_BEGIN_C extern "C" {
#define SZ_END_C }
#else
#define SZ_BEGIN_C
#define SZ_END_C
#endif
#define SZ_EXPORT __attribute__((visibility("default")))

/* Entry, offer, descriptor and errors: host and plugin agree on one version that both ranges hold. */
#define SZ_ABI_VERSION 1u
/* Hooks, slots, services and host interfaces while they are drafts: must match exactly. */
#define SZ_DRAFT 5u

/* Whether the struct that p points to is long enough to hold `field`. */
#define SZ_HAS(p, type, field) ((p)->struct_size >= offsetof(type, field) + sizeof(((type*)0)->field))

SZ_BEGIN_C

typedef uint32_t sz_bool; /* 0 or 1 */

/* Bytes that may hold NUL. A text from the host is valid UTF-8 and has a NUL behind its last byte. */
typedef struct sz_string {
  const char* ptr;
  uint64_t len;
} sz_string;

/* Where the callee writes a result of unknown size, in as many pieces as it likes; the owner is the caller. */
typedef struct sz_sink {
  void* context;
  struct sz_error* (*write)(void* context, const void* data, uint64_t size);
} sz_sink;

/* Host-allocated; made with sz_offer::make_error. */
typedef struct sz_error sz_error;

/* Error codes; also the exit status of a process that ends by one. */
typedef int32_t sz_code;
enum {
  SZ_OK = 0,
  SZ_INTERNAL = 1,  /* a bug */
  SZ_USAGE = 2,     /* command line or configuration */
  SZ_PLUGIN_FAILED = 3,
  SZ_DATA_BAD = 4,
  SZ_DIVERGED = 5,
  SZ_CORRUPT = 6,   /* a checkpoint or swap file is damaged */
  SZ_COMM_LOST = 7, /* communication failed or a peer was lost */
  SZ_EXHAUSTED = 8, /* memory or disk */
  SZ_INTERRUPTED = 130,
  SZ_TERMINATED = 143
};

typedef uint32_t sz_dtype;
enum {
  SZ_F32 = 0,
  SZ_F64 = 1,
  SZ_F16 = 2,
  SZ_BF16 = 3,
  SZ_I64 = 4,
  SZ_I32 = 5,
  SZ_U8 = 6
};

/* Train keeps what backward needs; recompute repeats a training forward with the same randomness; evaluate and
 * generate have none. */
typedef uint32_t sz_mode;
enum { SZ_MODE_TRAIN = 0, SZ_MODE_RECOMPUTE = 1, SZ_MODE_EVALUATE = 2, SZ_MODE_GENERATE = 3 };

typedef uint32_t sz_split;
enum { SZ_TRAIN = 0, SZ_VALIDATION = 1 };

typedef uint32_t sz_value_type;
enum { SZ_VALUE_NONE = 0, SZ_VALUE_BOOL = 1, SZ_VALUE_INT = 2, SZ_VALUE_FLOAT = 3, SZ_VALUE_STRING = 4 };

/* A typed value of a decision or an event. */
typedef struct sz_value {
  sz_value_type type;
  sz_bool boolean; /* where type is SZ_VALUE_BOOL */
  union {
    int64_t integer;
    double number;
    const char* string;
  } as;
} sz_value;

typedef struct sz_field {
  const char* name;
  sz_value value;
} sz_field;

/* Handles of things that the host owns. */
typedef struct sz_host sz_host;
typedef struct sz_tensor sz_tensor;             /* host/tensor.h */
typedef struct sz_tensor_list sz_tensor_list;   /* host/tensor.h: append to it */
typedef struct sz_model sz_model;               /* host/model.h */
typedef struct sz_segment_call sz_segment_call; /* host/hooks.h */

static inline sz_value sz_none(void) {
  sz_value v = {SZ_VALUE_NONE, 0, {0}};
  return v;
}
static inline sz_value sz_bool_value(sz_bool x) {
  sz_value v = {SZ_VALUE_BOOL, x, {0}};
  return v;
}
static inline sz_value sz_int(int64_t x) {
  sz_value v = {SZ_VALUE_INT, 0, {0}};
  v.as.integer = x;
  return v;
}
static inline sz_value sz_float(double x) {
  sz_value v = {SZ_VALUE_FLOAT, 0, {0}};
  v.as.number = x;
  return v;
}
static inline sz_value sz_text(const char* x) {
  sz_value v = {SZ_VALUE_STRING, 0, {0}};
  v.as.string = x;
  return v;
}

SZ_END_C
#endif
