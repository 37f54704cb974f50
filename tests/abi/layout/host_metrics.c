/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/metrics.h>

_Static_assert(offsetof(struct sz_metrics, struct_size) == 0, "sz_metrics.struct_size");
_Static_assert(offsetof(struct sz_metrics, reserved) == 4, "sz_metrics.reserved");
_Static_assert(offsetof(struct sz_metrics, publish) == 8, "sz_metrics.publish");
_Static_assert(offsetof(struct sz_metrics, read) == 16, "sz_metrics.read");
_Static_assert(sizeof(struct sz_metrics) == 24, "sz_metrics");
