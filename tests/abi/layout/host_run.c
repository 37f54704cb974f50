/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/run.h>

_Static_assert(offsetof(struct sz_run_info, struct_size) == 0, "sz_run_info.struct_size");
_Static_assert(offsetof(struct sz_run_info, reserved) == 4, "sz_run_info.reserved");
_Static_assert(offsetof(struct sz_run_info, name) == 8, "sz_run_info.name");
_Static_assert(offsetof(struct sz_run_info, folder) == 16, "sz_run_info.folder");
_Static_assert(offsetof(struct sz_run_info, language) == 24, "sz_run_info.language");
_Static_assert(offsetof(struct sz_run_info, seed) == 32, "sz_run_info.seed");
_Static_assert(offsetof(struct sz_run_info, step) == 40, "sz_run_info.step");
_Static_assert(offsetof(struct sz_run_info, attempt) == 48, "sz_run_info.attempt");
_Static_assert(offsetof(struct sz_run_info, epoch) == 56, "sz_run_info.epoch");
_Static_assert(offsetof(struct sz_run_info, total_steps) == 64, "sz_run_info.total_steps");
_Static_assert(offsetof(struct sz_run_info, steps_per_epoch) == 72, "sz_run_info.steps_per_epoch");
_Static_assert(offsetof(struct sz_run_info, global_batch) == 80, "sz_run_info.global_batch");
_Static_assert(sizeof(struct sz_run_info) == 88, "sz_run_info");

_Static_assert(offsetof(struct sz_run, struct_size) == 0, "sz_run.struct_size");
_Static_assert(offsetof(struct sz_run, reserved) == 4, "sz_run.reserved");
_Static_assert(offsetof(struct sz_run, describe) == 8, "sz_run.describe");
_Static_assert(offsetof(struct sz_run, request) == 16, "sz_run.request");
_Static_assert(offsetof(struct sz_run, add_scalar) == 24, "sz_run.add_scalar");
_Static_assert(offsetof(struct sz_run, set_scalar) == 32, "sz_run.set_scalar");
_Static_assert(offsetof(struct sz_run, set_eval_groups) == 40, "sz_run.set_eval_groups");
_Static_assert(sizeof(struct sz_run) == 48, "sz_run");
