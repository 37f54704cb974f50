#include "memory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Allocator.h>
#include <sz/base.h>

#include <new>
#include <sz/error.hpp>

namespace zero3 {
namespace {

// An allocation fails for one reason alone; what the host's allocator says tells what to do.
template <class Make>
auto allocated(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw sz::Error(SZ_EXHAUSTED, e.what());
  }
}

}  // namespace

at::ScalarType to_torch(uint32_t dtype) {
  switch (dtype) {
    case SZ_F32: return at::kFloat;
    case SZ_F64: return at::kDouble;
    case SZ_F16: return at::kHalf;
    case SZ_BF16: return at::kBFloat16;
    default: throw sz::Error(SZ_PLUGIN_FAILED, "zero3_async_io: no parameter can have dtype " + std::to_string(dtype));
  }
}

at::Tensor zeros(int64_t numel, uint32_t dtype) {
  return allocated([&] { return at::zeros({numel}, at::TensorOptions(to_torch(dtype))); });
}

at::Tensor empty(int64_t numel, uint32_t dtype) {
  return allocated([&] { return at::empty({numel}, at::TensorOptions(to_torch(dtype))); });
}

at::DataPtr allocate(int64_t bytes) {
  return allocated([&] { return c10::GetAllocator(c10::kCPU)->allocate(size_t(bytes)); });
}

c10::Storage make_storage() {
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 0,
                                                            at::DataPtr(nullptr, c10::Device(c10::kCPU)),
                                                            c10::GetAllocator(c10::kCPU), /*resizable=*/false));
}

at::Tensor view_of(const c10::Storage& storage, uint32_t dtype, int64_t offset, at::IntArrayRef shape) {
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage),
                                                             c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                             c10::scalarTypeToTypeMeta(to_torch(dtype)));
  view.unsafeGetTensorImpl()->set_sizes_contiguous(shape);
  view.unsafeGetTensorImpl()->set_storage_offset(offset);
  return view;
}

void bring_back(const c10::Storage& storage, at::DataPtr bytes, int64_t size) {
  c10::StorageImpl* const impl = storage.unsafeGetStorageImpl();
  impl->set_data_ptr_noswap(std::move(bytes));
  impl->set_nbytes(size_t(size));
}

void let_go(const c10::Storage& storage) {
  bring_back(storage, at::DataPtr(nullptr, c10::Device(c10::kCPU)), 0);
}

}  // namespace zero3
