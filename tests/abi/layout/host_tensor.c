/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/tensor.h>

_Static_assert(offsetof(struct sz_tensor_info, struct_size) == 0, "sz_tensor_info.struct_size");
_Static_assert(offsetof(struct sz_tensor_info, dtype) == 4, "sz_tensor_info.dtype");
_Static_assert(offsetof(struct sz_tensor_info, ndim) == 8, "sz_tensor_info.ndim");
_Static_assert(offsetof(struct sz_tensor_info, device) == 12, "sz_tensor_info.device");
_Static_assert(offsetof(struct sz_tensor_info, numel) == 16, "sz_tensor_info.numel");
_Static_assert(offsetof(struct sz_tensor_info, shape) == 24, "sz_tensor_info.shape");
_Static_assert(offsetof(struct sz_tensor_info, strides) == 32, "sz_tensor_info.strides");
_Static_assert(offsetof(struct sz_tensor_info, data) == 40, "sz_tensor_info.data");
_Static_assert(offsetof(struct sz_tensor_info, contiguous) == 48, "sz_tensor_info.contiguous");
_Static_assert(offsetof(struct sz_tensor_info, requires_grad) == 52, "sz_tensor_info.requires_grad");
_Static_assert(sizeof(struct sz_tensor_info) == 56, "sz_tensor_info");

_Static_assert(offsetof(struct sz_tensor_api, struct_size) == 0, "sz_tensor_api.struct_size");
_Static_assert(offsetof(struct sz_tensor_api, reserved) == 4, "sz_tensor_api.reserved");
_Static_assert(offsetof(struct sz_tensor_api, describe) == 8, "sz_tensor_api.describe");
_Static_assert(offsetof(struct sz_tensor_api, retain) == 16, "sz_tensor_api.retain");
_Static_assert(offsetof(struct sz_tensor_api, release) == 24, "sz_tensor_api.release");
_Static_assert(offsetof(struct sz_tensor_api, create) == 32, "sz_tensor_api.create");
_Static_assert(offsetof(struct sz_tensor_api, copy) == 40, "sz_tensor_api.copy");
_Static_assert(offsetof(struct sz_tensor_api, to_dlpack) == 48, "sz_tensor_api.to_dlpack");
_Static_assert(offsetof(struct sz_tensor_api, from_dlpack) == 56, "sz_tensor_api.from_dlpack");
_Static_assert(offsetof(struct sz_tensor_api, append) == 64, "sz_tensor_api.append");
_Static_assert(sizeof(struct sz_tensor_api) == 72, "sz_tensor_api");
