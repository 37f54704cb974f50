// What the opaque handles of the ABI are here.
#pragma once
#include <ATen/core/Tensor.h>
#include <sz/base.h>
#include <sz/services.h>

#include "base/error.h"
#include "model/declaration.h"
#include "train/hooks.h"

// A segment's run, as its wrapper may see it. Lives on the stack of the adapter.
struct sz_segment_call {
  sz::SegmentCall* call;
  bool backward;
  bool next_called;
  sz_segment_context context;
};

namespace sz {

// A handle is the address of an at::Tensor: of an element of a list (lent), or of one on the heap (owned).
inline sz_tensor* to_handle(at::Tensor& tensor) { return reinterpret_cast<sz_tensor*>(&tensor); }
inline sz_tensor* new_handle(at::Tensor tensor) {
  return reinterpret_cast<sz_tensor*>(new at::Tensor(std::move(tensor)));
}
inline at::Tensor& tensor_of(sz_tensor* handle) {
  if (!handle) throw Error(Exit::kPlugin, "argument 'tensor' is NULL");
  return *reinterpret_cast<at::Tensor*>(handle);
}
inline const at::Tensor& tensor_of(const sz_tensor* handle) { return tensor_of(const_cast<sz_tensor*>(handle)); }
inline at::Tensor tensor_or_undefined(sz_tensor* handle) { return handle ? tensor_of(handle) : at::Tensor(); }

inline sz_tensor_list* to_handle(TensorList& list) { return reinterpret_cast<sz_tensor_list*>(&list); }
inline TensorList& list_of(sz_tensor_list* handle) { return *reinterpret_cast<TensorList*>(handle); }

inline sz_model* to_handle(ModelDeclaration* model) { return reinterpret_cast<sz_model*>(model); }

// Lent handles of a list, NULL where undefined.
inline std::vector<sz_tensor*> to_handles(TensorList& tensors) {
  std::vector<sz_tensor*> handles;
  for (at::Tensor& tensor : tensors) handles.push_back(tensor.defined() ? to_handle(tensor) : nullptr);
  return handles;
}

}  // namespace sz
