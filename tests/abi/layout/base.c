/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/base.h>

_Static_assert(offsetof(struct sz_string, ptr) == 0, "sz_string.ptr");
_Static_assert(offsetof(struct sz_string, len) == 8, "sz_string.len");
_Static_assert(sizeof(struct sz_string) == 16, "sz_string");

_Static_assert(offsetof(struct sz_sink, context) == 0, "sz_sink.context");
_Static_assert(offsetof(struct sz_sink, write) == 8, "sz_sink.write");
_Static_assert(sizeof(struct sz_sink) == 16, "sz_sink");

_Static_assert(offsetof(struct sz_value, type) == 0, "sz_value.type");
_Static_assert(offsetof(struct sz_value, boolean) == 4, "sz_value.boolean");
_Static_assert(offsetof(struct sz_value, as) == 8, "sz_value.as");
_Static_assert(sizeof(struct sz_value) == 16, "sz_value");

_Static_assert(offsetof(struct sz_field, name) == 0, "sz_field.name");
_Static_assert(offsetof(struct sz_field, value) == 8, "sz_field.value");
_Static_assert(sizeof(struct sz_field) == 24, "sz_field");
