/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/alloc.h>

_Static_assert(offsetof(struct sz_alloc_info, struct_size) == 0, "sz_alloc_info.struct_size");
_Static_assert(offsetof(struct sz_alloc_info, reserved) == 4, "sz_alloc_info.reserved");
_Static_assert(offsetof(struct sz_alloc_info, live_bytes) == 8, "sz_alloc_info.live_bytes");
_Static_assert(offsetof(struct sz_alloc_info, peak_bytes) == 16, "sz_alloc_info.peak_bytes");
_Static_assert(offsetof(struct sz_alloc_info, cached_bytes) == 24, "sz_alloc_info.cached_bytes");
_Static_assert(offsetof(struct sz_alloc_info, limit_bytes) == 32, "sz_alloc_info.limit_bytes");
_Static_assert(sizeof(struct sz_alloc_info) == 40, "sz_alloc_info");

_Static_assert(offsetof(struct sz_alloc, struct_size) == 0, "sz_alloc.struct_size");
_Static_assert(offsetof(struct sz_alloc, reserved) == 4, "sz_alloc.reserved");
_Static_assert(offsetof(struct sz_alloc, read) == 8, "sz_alloc.read");
_Static_assert(offsetof(struct sz_alloc, reset_peak) == 16, "sz_alloc.reset_peak");
_Static_assert(sizeof(struct sz_alloc) == 24, "sz_alloc");
