// sz.tensor/1: tensors of the host.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sz/host.hpp>
#include <sz/host/tensor.h>

namespace sz::inline sdk {

// A handle of one's own: keeps the tensor alive, released by the destructor.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const sz_tensor_api* table, const sz_host* host, sz_tensor* handle)
      : table_(table), host_(host), handle_(handle) {}
  Tensor(Tensor&& other) noexcept
      : table_(other.table_), host_(other.host_), handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(host_, other.host_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() {
    if (handle_ != nullptr) table_->release(host_, handle_);
  }
  sz_tensor* handle() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  const sz_tensor_api* table_ = nullptr;
  const sz_host* host_ = nullptr;
  sz_tensor* handle_ = nullptr;
};

class Tensors : Interface<sz_tensor_api> {
 public:
  explicit Tensors(Host host) : Interface(host, SZ_TENSOR) {}

  sz_tensor_info describe(const sz_tensor* tensor) const {
    sz_tensor_info info = {};
    info.struct_size = sizeof(info);
    check(table().describe(raw(), tensor, &info));
    return info;
  }
  Tensor retain(sz_tensor* tensor) const {
    return made([&](sz_tensor** out) { return table().retain(raw(), tensor, out); });
  }
  Tensor create(sz_dtype dtype, std::span<const int64_t> shape) const {
    return made([&](sz_tensor** out) {
      return table().create(raw(), dtype, uint32_t(shape.size()), shape.data(), out);
    });
  }
  void copy(sz_tensor* to, const sz_tensor* from) const { check(table().copy(raw(), to, from)); }
  DLManagedTensorVersioned* to_dlpack(sz_tensor* tensor) const {
    DLManagedTensorVersioned* view = nullptr;
    check(table().to_dlpack(raw(), tensor, &view));
    return view;
  }
  Tensor from_dlpack(DLManagedTensorVersioned* view) const {
    return made([&](sz_tensor** out) { return table().from_dlpack(raw(), view, out); });
  }
  // To a list that the host lent.
  void append(sz_tensor_list* list, sz_tensor* tensor) const { check(table().append(raw(), list, tensor)); }

 private:
  template <class Make>
  Tensor made(Make make) const {
    sz_tensor* handle = nullptr;
    check(make(&handle));
    return Tensor(&table(), raw(), handle);
  }
};

}  // namespace sz::inline sdk
