/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/hooks.h>

_Static_assert(offsetof(struct sz_call_info, struct_size) == 0, "sz_call_info.struct_size");
_Static_assert(offsetof(struct sz_call_info, segment) == 4, "sz_call_info.segment");
_Static_assert(offsetof(struct sz_call_info, segment_name) == 8, "sz_call_info.segment_name");
_Static_assert(offsetof(struct sz_call_info, context) == 16, "sz_call_info.context");
_Static_assert(offsetof(struct sz_call_info, keep_graph) == 24, "sz_call_info.keep_graph");
_Static_assert(offsetof(struct sz_call_info, graph_kept) == 28, "sz_call_info.graph_kept");
_Static_assert(offsetof(struct sz_call_info, save_levels) == 32, "sz_call_info.save_levels");
_Static_assert(offsetof(struct sz_call_info, reserved) == 36, "sz_call_info.reserved");
_Static_assert(sizeof(struct sz_call_info) == 40, "sz_call_info");

_Static_assert(offsetof(struct sz_hooks_api, struct_size) == 0, "sz_hooks_api.struct_size");
_Static_assert(offsetof(struct sz_hooks_api, reserved) == 4, "sz_hooks_api.reserved");
_Static_assert(offsetof(struct sz_hooks_api, describe) == 8, "sz_hooks_api.describe");
_Static_assert(offsetof(struct sz_hooks_api, count) == 16, "sz_hooks_api.count");
_Static_assert(offsetof(struct sz_hooks_api, get) == 24, "sz_hooks_api.get");
_Static_assert(offsetof(struct sz_hooks_api, set) == 32, "sz_hooks_api.set");
_Static_assert(offsetof(struct sz_hooks_api, set_keep_graph) == 40, "sz_hooks_api.set_keep_graph");
_Static_assert(offsetof(struct sz_hooks_api, forward_again) == 48, "sz_hooks_api.forward_again");
_Static_assert(offsetof(struct sz_hooks_api, set_save_level) == 56, "sz_hooks_api.set_save_level");
_Static_assert(offsetof(struct sz_hooks_api, forward_again_by_rows) == 64, "sz_hooks_api.forward_again_by_rows");
_Static_assert(sizeof(struct sz_hooks_api) == 72, "sz_hooks_api");
