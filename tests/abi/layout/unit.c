/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/unit.h>

_Static_assert(offsetof(struct sz_param_range, parameter) == 0, "sz_param_range.parameter");
_Static_assert(offsetof(struct sz_param_range, unit_offset) == 8, "sz_param_range.unit_offset");
_Static_assert(offsetof(struct sz_param_range, param_offset) == 16, "sz_param_range.param_offset");
_Static_assert(offsetof(struct sz_param_range, count) == 24, "sz_param_range.count");
_Static_assert(sizeof(struct sz_param_range) == 32, "sz_param_range");

_Static_assert(offsetof(struct sz_update_unit, struct_size) == 0, "sz_update_unit.struct_size");
_Static_assert(offsetof(struct sz_update_unit, decay) == 4, "sz_update_unit.decay");
_Static_assert(offsetof(struct sz_update_unit, name) == 8, "sz_update_unit.name");
_Static_assert(offsetof(struct sz_update_unit, numel) == 16, "sz_update_unit.numel");
_Static_assert(offsetof(struct sz_update_unit, master) == 24, "sz_update_unit.master");
_Static_assert(offsetof(struct sz_update_unit, gradient) == 32, "sz_update_unit.gradient");
_Static_assert(offsetof(struct sz_update_unit, gradient_dtype) == 40, "sz_update_unit.gradient_dtype");
_Static_assert(offsetof(struct sz_update_unit, mirror_dtype) == 44, "sz_update_unit.mirror_dtype");
_Static_assert(offsetof(struct sz_update_unit, mirror) == 48, "sz_update_unit.mirror");
_Static_assert(offsetof(struct sz_update_unit, state_count) == 56, "sz_update_unit.state_count");
_Static_assert(offsetof(struct sz_update_unit, state) == 64, "sz_update_unit.state");
_Static_assert(offsetof(struct sz_update_unit, range_count) == 72, "sz_update_unit.range_count");
_Static_assert(offsetof(struct sz_update_unit, ranges) == 80, "sz_update_unit.ranges");
_Static_assert(sizeof(struct sz_update_unit) == 88, "sz_update_unit");

_Static_assert(offsetof(struct sz_step_scalars, struct_size) == 0, "sz_step_scalars.struct_size");
_Static_assert(offsetof(struct sz_step_scalars, reserved) == 4, "sz_step_scalars.reserved");
_Static_assert(offsetof(struct sz_step_scalars, step) == 8, "sz_step_scalars.step");
_Static_assert(offsetof(struct sz_step_scalars, lr) == 16, "sz_step_scalars.lr");
_Static_assert(offsetof(struct sz_step_scalars, multiplier) == 24, "sz_step_scalars.multiplier");
_Static_assert(sizeof(struct sz_step_scalars) == 32, "sz_step_scalars");
