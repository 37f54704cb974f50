/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/services.h>

_Static_assert(offsetof(struct sz_provider, name) == 0, "sz_provider.name");
_Static_assert(offsetof(struct sz_provider, plugin) == 8, "sz_provider.plugin");
_Static_assert(offsetof(struct sz_provider, table) == 16, "sz_provider.table");
_Static_assert(offsetof(struct sz_provider, object) == 24, "sz_provider.object");
_Static_assert(sizeof(struct sz_provider) == 32, "sz_provider");

_Static_assert(offsetof(struct sz_services, struct_size) == 0, "sz_services.struct_size");
_Static_assert(offsetof(struct sz_services, reserved) == 4, "sz_services.reserved");
_Static_assert(offsetof(struct sz_services, count) == 8, "sz_services.count");
_Static_assert(offsetof(struct sz_services, at) == 16, "sz_services.at");
_Static_assert(offsetof(struct sz_services, find) == 24, "sz_services.find");
_Static_assert(sizeof(struct sz_services) == 32, "sz_services");
