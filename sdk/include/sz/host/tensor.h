/* sz.tensor/1: shape, dtype and bytes of the host's tensors, and new ones. Draft. */
#ifndef SZ_HOST_TENSOR_H
#define SZ_HOST_TENSOR_H

#include <sz/base.h>

SZ_BEGIN_C

struct DLManagedTensorVersioned; /* of dlpack.h, version 1 */

/* Pointers are lent as long as the handle. */
typedef struct sz_tensor_info {
  uint32_t struct_size;
  sz_dtype dtype;
  uint32_t ndim;
  int32_t device; /* -1: the CPU's memory; else the accelerator's number, and data can't be read here */
  int64_t numel;
  const int64_t* shape;
  const int64_t* strides; /* in elements */
  void* data;             /* first element; NULL when there is none */
  sz_bool contiguous;
  sz_bool requires_grad;
} sz_tensor_info;

#define SZ_TENSOR "sz.tensor/1"
typedef struct sz_tensor_api {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] */
  sz_error* (*describe)(const sz_host* host, const sz_tensor* tensor, sz_tensor_info* info);
  /* [any] A new handle on the same tensor, which keeps it alive; to be released. */
  sz_error* (*retain)(const sz_host* host, sz_tensor* tensor, sz_tensor** kept);
  /* [any] Gives back a handle got from retain, create or from_dlpack. NULL is allowed. */
  void (*release)(const sz_host* host, sz_tensor* tensor);
  /* [any; run] A tensor in the CPU's memory that the host owns, uninitialised, contiguous; to be released. */
  sz_error* (*create)(const sz_host* host, sz_dtype dtype, uint32_t ndim, const int64_t* shape, sz_tensor** created);
  /* [any] Copies elements, casting where dtypes differ; shapes must be equal. */
  sz_error* (*copy)(const sz_host* host, sz_tensor* to, const sz_tensor* from);
  /* [any] A view for others that know DLPack; its deleter gives it back. */
  sz_error* (*to_dlpack)(const sz_host* host, sz_tensor* tensor, struct DLManagedTensorVersioned** view);
  /* [any; run] Takes the view over, deleter included, also on an error; the tensor is to be released. */
  sz_error* (*from_dlpack)(const sz_host* host, struct DLManagedTensorVersioned* view, sz_tensor** created);
  /* [main; run] Puts a tensor (NULL: undefined) at the end of a list that the host lent. The list takes a reference
   * of its own; the handle stays the caller's. */
  sz_error* (*append)(const sz_host* host, sz_tensor_list* list, sz_tensor* tensor);
} sz_tensor_api;

SZ_END_C
#endif
