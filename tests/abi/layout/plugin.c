/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/plugin.h>

_Static_assert(offsetof(struct sz_offer, struct_size) == 0, "sz_offer.struct_size");
_Static_assert(offsetof(struct sz_offer, draft) == 4, "sz_offer.draft");
_Static_assert(offsetof(struct sz_offer, magic) == 8, "sz_offer.magic");
_Static_assert(offsetof(struct sz_offer, abi_min) == 16, "sz_offer.abi_min");
_Static_assert(offsetof(struct sz_offer, abi_max) == 20, "sz_offer.abi_max");
_Static_assert(offsetof(struct sz_offer, host_version) == 24, "sz_offer.host_version");
_Static_assert(offsetof(struct sz_offer, torch_version) == 32, "sz_offer.torch_version");
_Static_assert(offsetof(struct sz_offer, make_error) == 40, "sz_offer.make_error");
_Static_assert(offsetof(struct sz_offer, free_error) == 48, "sz_offer.free_error");
_Static_assert(offsetof(struct sz_offer, error_code) == 56, "sz_offer.error_code");
_Static_assert(offsetof(struct sz_offer, error_message) == 64, "sz_offer.error_message");
_Static_assert(sizeof(struct sz_offer) == 72, "sz_offer");

_Static_assert(offsetof(struct sz_host, struct_size) == 0, "sz_host.struct_size");
_Static_assert(offsetof(struct sz_host, abi) == 4, "sz_host.abi");
_Static_assert(offsetof(struct sz_host, offer) == 8, "sz_host.offer");
_Static_assert(offsetof(struct sz_host, impl) == 16, "sz_host.impl");
_Static_assert(offsetof(struct sz_host, get_interface) == 24, "sz_host.get_interface");
_Static_assert(sizeof(struct sz_host) == 32, "sz_host");

_Static_assert(offsetof(struct sz_condition, struct_size) == 0, "sz_condition.struct_size");
_Static_assert(offsetof(struct sz_condition, op) == 4, "sz_condition.op");
_Static_assert(offsetof(struct sz_condition, key) == 8, "sz_condition.key");
_Static_assert(offsetof(struct sz_condition, values) == 16, "sz_condition.values");
_Static_assert(sizeof(struct sz_condition) == 24, "sz_condition");

_Static_assert(offsetof(struct sz_need, struct_size) == 0, "sz_need.struct_size");
_Static_assert(offsetof(struct sz_need, kind) == 4, "sz_need.kind");
_Static_assert(offsetof(struct sz_need, id) == 8, "sz_need.id");
_Static_assert(offsetof(struct sz_need, when) == 16, "sz_need.when");
_Static_assert(sizeof(struct sz_need) == 24, "sz_need");

_Static_assert(offsetof(struct sz_give, struct_size) == 0, "sz_give.struct_size");
_Static_assert(offsetof(struct sz_give, reserved) == 4, "sz_give.reserved");
_Static_assert(offsetof(struct sz_give, service) == 8, "sz_give.service");
_Static_assert(offsetof(struct sz_give, name) == 16, "sz_give.name");
_Static_assert(offsetof(struct sz_give, when) == 24, "sz_give.when");
_Static_assert(sizeof(struct sz_give) == 32, "sz_give");

_Static_assert(offsetof(struct sz_hook_use, struct_size) == 0, "sz_hook_use.struct_size");
_Static_assert(offsetof(struct sz_hook_use, hook) == 4, "sz_hook_use.hook");
_Static_assert(offsetof(struct sz_hook_use, before) == 8, "sz_hook_use.before");
_Static_assert(offsetof(struct sz_hook_use, after) == 16, "sz_hook_use.after");
_Static_assert(offsetof(struct sz_hook_use, when) == 24, "sz_hook_use.when");
_Static_assert(sizeof(struct sz_hook_use) == 32, "sz_hook_use");

_Static_assert(offsetof(struct sz_slot_use, struct_size) == 0, "sz_slot_use.struct_size");
_Static_assert(offsetof(struct sz_slot_use, reserved) == 4, "sz_slot_use.reserved");
_Static_assert(offsetof(struct sz_slot_use, slot) == 8, "sz_slot_use.slot");
_Static_assert(offsetof(struct sz_slot_use, when) == 16, "sz_slot_use.when");
_Static_assert(sizeof(struct sz_slot_use) == 24, "sz_slot_use");

_Static_assert(offsetof(struct sz_state_use, struct_size) == 0, "sz_state_use.struct_size");
_Static_assert(offsetof(struct sz_state_use, scope) == 4, "sz_state_use.scope");
_Static_assert(offsetof(struct sz_state_use, version) == 8, "sz_state_use.version");
_Static_assert(offsetof(struct sz_state_use, reserved) == 12, "sz_state_use.reserved");
_Static_assert(sizeof(struct sz_state_use) == 16, "sz_state_use");

_Static_assert(offsetof(struct sz_key, struct_size) == 0, "sz_key.struct_size");
_Static_assert(offsetof(struct sz_key, type) == 4, "sz_key.type");
_Static_assert(offsetof(struct sz_key, name) == 8, "sz_key.name");
_Static_assert(offsetof(struct sz_key, default_toml) == 16, "sz_key.default_toml");
_Static_assert(offsetof(struct sz_key, help) == 24, "sz_key.help");
_Static_assert(offsetof(struct sz_key, unit) == 32, "sz_key.unit");
_Static_assert(offsetof(struct sz_key, choices) == 40, "sz_key.choices");
_Static_assert(offsetof(struct sz_key, min) == 48, "sz_key.min");
_Static_assert(offsetof(struct sz_key, max) == 56, "sz_key.max");
_Static_assert(offsetof(struct sz_key, required) == 64, "sz_key.required");
_Static_assert(offsetof(struct sz_key, per_host) == 68, "sz_key.per_host");
_Static_assert(sizeof(struct sz_key) == 72, "sz_key");

_Static_assert(offsetof(struct sz_descriptor, struct_size) == 0, "sz_descriptor.struct_size");
_Static_assert(offsetof(struct sz_descriptor, draft) == 4, "sz_descriptor.draft");
_Static_assert(offsetof(struct sz_descriptor, id) == 8, "sz_descriptor.id");
_Static_assert(offsetof(struct sz_descriptor, version) == 16, "sz_descriptor.version");
_Static_assert(offsetof(struct sz_descriptor, licence) == 24, "sz_descriptor.licence");
_Static_assert(offsetof(struct sz_descriptor, summary) == 32, "sz_descriptor.summary");
_Static_assert(offsetof(struct sz_descriptor, summary_zh) == 40, "sz_descriptor.summary_zh");
_Static_assert(offsetof(struct sz_descriptor, needs) == 48, "sz_descriptor.needs");
_Static_assert(offsetof(struct sz_descriptor, gives) == 56, "sz_descriptor.gives");
_Static_assert(offsetof(struct sz_descriptor, hooks) == 64, "sz_descriptor.hooks");
_Static_assert(offsetof(struct sz_descriptor, slots) == 72, "sz_descriptor.slots");
_Static_assert(offsetof(struct sz_descriptor, keys) == 80, "sz_descriptor.keys");
_Static_assert(offsetof(struct sz_descriptor, state) == 88, "sz_descriptor.state");
_Static_assert(offsetof(struct sz_descriptor, votes) == 96, "sz_descriptor.votes");
_Static_assert(offsetof(struct sz_descriptor, reserved) == 100, "sz_descriptor.reserved");
_Static_assert(sizeof(struct sz_descriptor) == 104, "sz_descriptor");

_Static_assert(offsetof(struct sz_check, struct_size) == 0, "sz_check.struct_size");
_Static_assert(offsetof(struct sz_check, ranks) == 4, "sz_check.ranks");
_Static_assert(offsetof(struct sz_check, steps_per_epoch) == 8, "sz_check.steps_per_epoch");
_Static_assert(offsetof(struct sz_check, total_steps) == 16, "sz_check.total_steps");
_Static_assert(sizeof(struct sz_check) == 24, "sz_check");

_Static_assert(offsetof(struct sz_plugin, struct_size) == 0, "sz_plugin.struct_size");
_Static_assert(offsetof(struct sz_plugin, abi) == 4, "sz_plugin.abi");
_Static_assert(offsetof(struct sz_plugin, descriptor) == 8, "sz_plugin.descriptor");
_Static_assert(offsetof(struct sz_plugin, create) == 16, "sz_plugin.create");
_Static_assert(offsetof(struct sz_plugin, start) == 24, "sz_plugin.start");
_Static_assert(offsetof(struct sz_plugin, stop) == 32, "sz_plugin.stop");
_Static_assert(offsetof(struct sz_plugin, destroy) == 40, "sz_plugin.destroy");
_Static_assert(offsetof(struct sz_plugin, get_extension) == 48, "sz_plugin.get_extension");
_Static_assert(offsetof(struct sz_plugin, provide) == 56, "sz_plugin.provide");
_Static_assert(offsetof(struct sz_plugin, check) == 64, "sz_plugin.check");
_Static_assert(sizeof(struct sz_plugin) == 72, "sz_plugin");

_Static_assert(offsetof(struct sz_note, name_size) == 0, "sz_note.name_size");
_Static_assert(offsetof(struct sz_note, descriptor_size) == 4, "sz_note.descriptor_size");
_Static_assert(offsetof(struct sz_note, type) == 8, "sz_note.type");
_Static_assert(offsetof(struct sz_note, name) == 12, "sz_note.name");
_Static_assert(offsetof(struct sz_note, abi_min) == 24, "sz_note.abi_min");
_Static_assert(offsetof(struct sz_note, abi_max) == 28, "sz_note.abi_max");
_Static_assert(offsetof(struct sz_note, draft) == 32, "sz_note.draft");
_Static_assert(offsetof(struct sz_note, reserved) == 36, "sz_note.reserved");
_Static_assert(sizeof(struct sz_note) == 40, "sz_note");
