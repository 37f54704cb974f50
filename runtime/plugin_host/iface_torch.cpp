// sz.torch/1
#include <sz/host/torch.h>

#include "plugin_host/arguments.h"
#include "plugin_host/handles.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

void* tensor(sz_tensor* handle) { return handle; }

sz_error* wrap(const sz_host* host, const void* at_tensor, sz_tensor** created) {
  return guarded([&] {
    instance_of(host).require_phase("sz.torch wrap", kRun);
    require_pointer(at_tensor, "at_tensor");
    require_pointer(created, "created");
    *created = new_handle(*static_cast<const at::Tensor*>(at_tensor));
  });
}

}  // namespace

const void* torch_interface() {
  static const sz_torch table = {sizeof(sz_torch), 0, host_offer().torch_version, &tensor, &wrap};
  return &table;
}

}  // namespace sz
