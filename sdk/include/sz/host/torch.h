/* sz.torch/1: the at::Tensor behind a handle. There only when the plugin was built with the host's very LibTorch
 * version (a plugin says so by needing this interface). Draft. */
#ifndef SZ_HOST_TORCH_H
#define SZ_HOST_TORCH_H

#include <sz/base.h>

SZ_BEGIN_C

#define SZ_TORCH "sz.torch/1"
typedef struct sz_torch {
  uint32_t struct_size;
  uint32_t reserved;
  const char* version; /* "2.11.0": compare with the one that the plugin was compiled against */
  /* [any] at::Tensor*, lent as long as the handle. */
  void* (*tensor)(sz_tensor* tensor);
  /* [any; run] A handle on a copy of *at_tensor (const at::Tensor*; bytes are shared); to be released with
   * sz.tensor/1. */
  sz_error* (*wrap)(const sz_host* host, const void* at_tensor, sz_tensor** created);
} sz_torch;

SZ_END_C
#endif
