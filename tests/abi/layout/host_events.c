/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/events.h>

_Static_assert(offsetof(struct sz_event, struct_size) == 0, "sz_event.struct_size");
_Static_assert(offsetof(struct sz_event, reserved) == 4, "sz_event.reserved");
_Static_assert(offsetof(struct sz_event, name) == 8, "sz_event.name");
_Static_assert(offsetof(struct sz_event, plugin) == 16, "sz_event.plugin");
_Static_assert(offsetof(struct sz_event, step) == 24, "sz_event.step");
_Static_assert(offsetof(struct sz_event, attempt) == 32, "sz_event.attempt");
_Static_assert(offsetof(struct sz_event, field_count) == 40, "sz_event.field_count");
_Static_assert(offsetof(struct sz_event, fields) == 48, "sz_event.fields");
_Static_assert(sizeof(struct sz_event) == 56, "sz_event");

_Static_assert(offsetof(struct sz_events, struct_size) == 0, "sz_events.struct_size");
_Static_assert(offsetof(struct sz_events, reserved) == 4, "sz_events.reserved");
_Static_assert(offsetof(struct sz_events, publish) == 8, "sz_events.publish");
_Static_assert(offsetof(struct sz_events, subscribe) == 16, "sz_events.subscribe");
_Static_assert(sizeof(struct sz_events) == 24, "sz_events");
