/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/state.h>

_Static_assert(offsetof(struct sz_stateful, struct_size) == 0, "sz_stateful.struct_size");
_Static_assert(offsetof(struct sz_stateful, reserved) == 4, "sz_stateful.reserved");
_Static_assert(offsetof(struct sz_stateful, save) == 8, "sz_stateful.save");
_Static_assert(offsetof(struct sz_stateful, load) == 16, "sz_stateful.load");
_Static_assert(sizeof(struct sz_stateful) == 24, "sz_stateful");

_Static_assert(offsetof(struct sz_state_api, struct_size) == 0, "sz_state_api.struct_size");
_Static_assert(offsetof(struct sz_state_api, reserved) == 4, "sz_state_api.reserved");
_Static_assert(offsetof(struct sz_state_api, changed) == 8, "sz_state_api.changed");
_Static_assert(sizeof(struct sz_state_api) == 16, "sz_state_api");
