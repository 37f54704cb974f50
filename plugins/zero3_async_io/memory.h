// Tensors and bytes from the host's allocator. Where it refuses, the error says that memory is exhausted.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

#include <cstdint>

namespace zero3 {

at::ScalarType to_torch(uint32_t dtype);

at::Tensor zeros(int64_t numel, uint32_t dtype);
at::Tensor empty(int64_t numel, uint32_t dtype);
at::DataPtr allocate(int64_t bytes);

// A storage of no bytes, and a contiguous tensor over it at `offset` elements: nothing is allocated or read.
c10::Storage make_storage();
at::Tensor view_of(const c10::Storage& storage, uint32_t dtype, int64_t offset, at::IntArrayRef shape);

// Gives the storage its bytes, and takes them away: views stay what they are, with their versions unchanged.
void bring_back(const c10::Storage& storage, at::DataPtr bytes, int64_t size);
void let_go(const c10::Storage& storage);

}  // namespace zero3
