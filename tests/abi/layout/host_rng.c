/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/rng.h>

_Static_assert(offsetof(struct sz_rng, struct_size) == 0, "sz_rng.struct_size");
_Static_assert(offsetof(struct sz_rng, reserved) == 4, "sz_rng.reserved");
_Static_assert(offsetof(struct sz_rng, key) == 8, "sz_rng.key");
_Static_assert(offsetof(struct sz_rng, draw) == 16, "sz_rng.draw");
_Static_assert(sizeof(struct sz_rng) == 24, "sz_rng");
