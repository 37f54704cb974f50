/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/config.h>

_Static_assert(offsetof(struct sz_config, struct_size) == 0, "sz_config.struct_size");
_Static_assert(offsetof(struct sz_config, reserved) == 4, "sz_config.reserved");
_Static_assert(offsetof(struct sz_config, has) == 8, "sz_config.has");
_Static_assert(offsetof(struct sz_config, get_bool) == 16, "sz_config.get_bool");
_Static_assert(offsetof(struct sz_config, get_int) == 24, "sz_config.get_int");
_Static_assert(offsetof(struct sz_config, get_float) == 32, "sz_config.get_float");
_Static_assert(offsetof(struct sz_config, get_string) == 40, "sz_config.get_string");
_Static_assert(offsetof(struct sz_config, get_string_list) == 48, "sz_config.get_string_list");
_Static_assert(offsetof(struct sz_config, get_float_list) == 56, "sz_config.get_float_list");
_Static_assert(sizeof(struct sz_config) == 64, "sz_config");
