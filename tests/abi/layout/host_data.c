/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/data.h>

_Static_assert(offsetof(struct sz_data, struct_size) == 0, "sz_data.struct_size");
_Static_assert(offsetof(struct sz_data, reserved) == 4, "sz_data.reserved");
_Static_assert(offsetof(struct sz_data, count) == 8, "sz_data.count");
_Static_assert(offsetof(struct sz_data, info) == 16, "sz_data.info");
_Static_assert(offsetof(struct sz_data, language) == 24, "sz_data.language");
_Static_assert(offsetof(struct sz_data, text) == 32, "sz_data.text");
_Static_assert(offsetof(struct sz_data, tokens) == 40, "sz_data.tokens");
_Static_assert(offsetof(struct sz_data, encode) == 48, "sz_data.encode");
_Static_assert(offsetof(struct sz_data, scores) == 56, "sz_data.scores");
_Static_assert(sizeof(struct sz_data) == 64, "sz_data");
