// sz.tensor/1
#include <ATen/DLConvertor.h>
#include <ATen/ops/empty.h>
#include <sz/host/tensor.h>

#include "plugin_host/arguments.h"
#include "plugin_host/dtype_map.h"
#include "plugin_host/handles.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

constexpr uint32_t kMostDimensions = 16;

sz_error* describe(const sz_host* host, const sz_tensor* handle, sz_tensor_info* info) {
  return guarded([&] {
    const at::Tensor& tensor = tensor_of(handle);
    require_pointer(info, "info");
    require_size(info->struct_size, sizeof(sz_tensor_info), "info");
    if (!tensor.defined()) throw Error(Exit::kPlugin, "the tensor is undefined");
    const bool cpu = tensor.device().is_cpu();
    info->dtype = from_scalar_type(tensor.scalar_type());
    info->ndim = uint32_t(tensor.dim());
    info->device = cpu ? -1 : int32_t(tensor.device().index());
    info->numel = tensor.numel();
    info->shape = tensor.sizes().data();
    info->strides = tensor.strides().data();
    info->data = tensor.numel() > 0 ? tensor.data_ptr() : nullptr;
    info->contiguous = tensor.is_contiguous() ? 1 : 0;
    info->requires_grad = tensor.requires_grad() ? 1 : 0;
  });
}

sz_error* retain(const sz_host* host, sz_tensor* tensor, sz_tensor** kept) {
  return guarded([&] {
    require_pointer(kept, "kept");
    *kept = new_handle(tensor_of(tensor));
  });
}

void release(const sz_host* host, sz_tensor* tensor) { delete reinterpret_cast<at::Tensor*>(tensor); }

sz_error* create(const sz_host* host, sz_dtype dtype, uint32_t ndim, const int64_t* shape, sz_tensor** created) {
  return guarded([&] {
    instance_of(host).require_phase("sz.tensor create", kRun);
    require_pointer(created, "created");
    if (ndim > kMostDimensions) throw Error(Exit::kPlugin, std::to_string(ndim) + " dimensions are too many");
    if (ndim > 0) require_pointer(shape, "shape");
    for (uint32_t d = 0; d < ndim; ++d) {
      if (shape[d] < 0) throw Error(Exit::kPlugin, "dimension " + std::to_string(d) + " of the shape is negative");
    }
    *created = new_handle(at::empty(at::IntArrayRef(shape, ndim), at::TensorOptions(to_scalar_type(dtype))));
  });
}

sz_error* copy(const sz_host* host, sz_tensor* to, const sz_tensor* from) {
  return guarded([&] {
    at::Tensor& target = tensor_of(to);
    const at::Tensor& origin = tensor_of(from);
    if (!target.defined() || !origin.defined()) throw Error(Exit::kPlugin, "a tensor of the copy is undefined");
    if (target.sizes() != origin.sizes()) throw Error(Exit::kPlugin, "the shapes of the two tensors differ");
    // Through detached views: a copy of bytes, not a step of a graph.
    target.detach().copy_(origin.detach());
  });
}

sz_error* to_dlpack(const sz_host* host, sz_tensor* tensor, DLManagedTensorVersioned** view) {
  return guarded([&] {
    require_pointer(view, "view");
    *view = at::toDLPackVersioned(tensor_of(tensor).detach());
  });
}

// LibTorch checks neither the version nor the read-only flag, and forgets the deleter where it throws.
void check_view(const DLManagedTensorVersioned& view) {
  if (view.version.major != 1) throw Error(Exit::kPlugin, "the DLPack view has another major version than 1");
  if (view.flags & DLPACK_FLAG_BITMASK_READ_ONLY) throw Error(Exit::kPlugin, "the DLPack view is read-only");
  if (view.dl_tensor.device.device_type != kDLCPU) throw Error(Exit::kPlugin, "the DLPack view isn't in CPU memory");
  if (view.dl_tensor.byte_offset != 0) {
    throw Error(Exit::kPlugin, "the DLPack view has a byte offset; move data instead");
  }
}

sz_error* from_dlpack(const sz_host* host, DLManagedTensorVersioned* view, sz_tensor** created) {
  return guarded([&] {
    require_pointer(view, "view");
    try {
      instance_of(host).require_phase("sz.tensor from_dlpack", kRun);
      require_pointer(created, "created");
      check_view(*view);
      *created = new_handle(at::fromDLPackVersioned(view));
    } catch (...) {
      if (view->deleter) view->deleter(view);
      throw;
    }
  });
}

sz_error* append(const sz_host* host, sz_tensor_list* list, sz_tensor* tensor) {
  return guarded([&] {
    instance_of(host).require_main("sz.tensor append");
    require_pointer(list, "list");
    list_of(list).push_back(tensor_or_undefined(tensor));
  });
}

}  // namespace

const void* tensor_interface() {
  static const sz_tensor_api table = {sizeof(sz_tensor_api), 0,     &describe,  &retain,      &release,
                                      &create,               &copy, &to_dlpack, &from_dlpack, &append};
  return &table;
}

}  // namespace sz
