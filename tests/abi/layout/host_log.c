/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/log.h>

_Static_assert(offsetof(struct sz_log, struct_size) == 0, "sz_log.struct_size");
_Static_assert(offsetof(struct sz_log, reserved) == 4, "sz_log.reserved");
_Static_assert(offsetof(struct sz_log, write) == 8, "sz_log.write");
_Static_assert(sizeof(struct sz_log) == 16, "sz_log");
