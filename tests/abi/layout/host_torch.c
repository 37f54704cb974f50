/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/torch.h>

_Static_assert(offsetof(struct sz_torch, struct_size) == 0, "sz_torch.struct_size");
_Static_assert(offsetof(struct sz_torch, reserved) == 4, "sz_torch.reserved");
_Static_assert(offsetof(struct sz_torch, version) == 8, "sz_torch.version");
_Static_assert(offsetof(struct sz_torch, tensor) == 16, "sz_torch.tensor");
_Static_assert(offsetof(struct sz_torch, wrap) == 24, "sz_torch.wrap");
_Static_assert(sizeof(struct sz_torch) == 32, "sz_torch");
