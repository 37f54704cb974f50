// sz.torch/1: the at::Tensor behind a handle. For plugins built with sz_add_plugin(... TORCH).
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/headeronly/version.h>

#include <cstring>

#include <sz/host/torch.h>
#include <sz/tensor.hpp>

namespace sz::inline sdk {

class Torch : Interface<sz_torch> {
 public:
  // Throws where the host's LibTorch is another version than the headers here.
  explicit Torch(Host host) : Interface(host, SZ_TORCH), host_(host), tensors_(&host.get<sz_tensor_api>(SZ_TENSOR)) {
    constexpr size_t kDigits = sizeof(kVersion) - 1;
    if (std::strncmp(table().version, kVersion, kDigits) == 0 && !digit(table().version[kDigits])) return;
    throw Error(SZ_PLUGIN_FAILED, std::string("built with LibTorch ") + kVersion + ", the host has " +
                                      table().version + ": rebuild the plugin");
  }
  at::Tensor& operator()(sz_tensor* tensor) const { return *static_cast<at::Tensor*>(table().tensor(tensor)); }
  Tensor wrap(const at::Tensor& tensor) const {
    sz_tensor* handle = nullptr;
    check(table().wrap(raw(), &tensor, &handle));
    return Tensor(tensors_, raw(), handle);
  }
  // Puts a tensor at the end of a list that the host lent.
  void append(sz_tensor_list* list, const at::Tensor& tensor) const {
    const Tensor handle = tensor.defined() ? wrap(tensor) : Tensor();
    check(tensors_->append(raw(), list, handle.handle()));
  }

 private:
#define SZ_TEXT_OF_(x) #x
#define SZ_TEXT_(x) SZ_TEXT_OF_(x)
  static constexpr char kVersion[] =
      SZ_TEXT_(TORCH_VERSION_MAJOR) "." SZ_TEXT_(TORCH_VERSION_MINOR) "." SZ_TEXT_(TORCH_VERSION_PATCH);
#undef SZ_TEXT_
#undef SZ_TEXT_OF_
  static bool digit(char c) { return c >= '0' && c <= '9'; }

  Host host_;
  const sz_tensor_api* tensors_;
};

}  // namespace sz::inline sdk
