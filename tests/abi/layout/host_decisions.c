/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/decisions.h>

_Static_assert(offsetof(struct sz_decision, struct_size) == 0, "sz_decision.struct_size");
_Static_assert(offsetof(struct sz_decision, reserved) == 4, "sz_decision.reserved");
_Static_assert(offsetof(struct sz_decision, what) == 8, "sz_decision.what");
_Static_assert(offsetof(struct sz_decision, cause) == 16, "sz_decision.cause");
_Static_assert(offsetof(struct sz_decision, from) == 24, "sz_decision.from");
_Static_assert(offsetof(struct sz_decision, to) == 40, "sz_decision.to");
_Static_assert(offsetof(struct sz_decision, text_en) == 56, "sz_decision.text_en");
_Static_assert(offsetof(struct sz_decision, text_zh) == 64, "sz_decision.text_zh");
_Static_assert(offsetof(struct sz_decision, field_count) == 72, "sz_decision.field_count");
_Static_assert(offsetof(struct sz_decision, fields) == 80, "sz_decision.fields");
_Static_assert(sizeof(struct sz_decision) == 88, "sz_decision");

_Static_assert(offsetof(struct sz_decisions, struct_size) == 0, "sz_decisions.struct_size");
_Static_assert(offsetof(struct sz_decisions, reserved) == 4, "sz_decisions.reserved");
_Static_assert(offsetof(struct sz_decisions, record) == 8, "sz_decisions.record");
_Static_assert(sizeof(struct sz_decisions) == 16, "sz_decisions");
