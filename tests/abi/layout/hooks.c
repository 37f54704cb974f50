/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/hooks.h>

_Static_assert(offsetof(struct sz_plan_item, sample) == 0, "sz_plan_item.sample");
_Static_assert(offsetof(struct sz_plan_item, position) == 8, "sz_plan_item.position");
_Static_assert(offsetof(struct sz_plan_item, transform) == 16, "sz_plan_item.transform");
_Static_assert(offsetof(struct sz_plan_item, flags) == 20, "sz_plan_item.flags");
_Static_assert(offsetof(struct sz_plan_item, seed) == 24, "sz_plan_item.seed");
_Static_assert(sizeof(struct sz_plan_item) == 32, "sz_plan_item");

_Static_assert(offsetof(struct sz_micro_batch, struct_size) == 0, "sz_micro_batch.struct_size");
_Static_assert(offsetof(struct sz_micro_batch, reserved) == 4, "sz_micro_batch.reserved");
_Static_assert(offsetof(struct sz_micro_batch, rows) == 8, "sz_micro_batch.rows");
_Static_assert(offsetof(struct sz_micro_batch, cols) == 16, "sz_micro_batch.cols");
_Static_assert(offsetof(struct sz_micro_batch, tokens) == 24, "sz_micro_batch.tokens");
_Static_assert(offsetof(struct sz_micro_batch, ids) == 32, "sz_micro_batch.ids");
_Static_assert(offsetof(struct sz_micro_batch, labels) == 40, "sz_micro_batch.labels");
_Static_assert(offsetof(struct sz_micro_batch, mask) == 48, "sz_micro_batch.mask");
_Static_assert(offsetof(struct sz_micro_batch, sample) == 56, "sz_micro_batch.sample");
_Static_assert(offsetof(struct sz_micro_batch, position) == 64, "sz_micro_batch.position");
_Static_assert(offsetof(struct sz_micro_batch, plan_index) == 72, "sz_micro_batch.plan_index");
_Static_assert(sizeof(struct sz_micro_batch) == 80, "sz_micro_batch");

_Static_assert(offsetof(struct sz_eval_result, struct_size) == 0, "sz_eval_result.struct_size");
_Static_assert(offsetof(struct sz_eval_result, reserved) == 4, "sz_eval_result.reserved");
_Static_assert(offsetof(struct sz_eval_result, total) == 8, "sz_eval_result.total");
_Static_assert(offsetof(struct sz_eval_result, group_count) == 32, "sz_eval_result.group_count");
_Static_assert(offsetof(struct sz_eval_result, group_names) == 40, "sz_eval_result.group_names");
_Static_assert(offsetof(struct sz_eval_result, groups) == 48, "sz_eval_result.groups");
_Static_assert(sizeof(struct sz_eval_result) == 56, "sz_eval_result");

_Static_assert(offsetof(struct sz_hook_info, struct_size) == 0, "sz_hook_info.struct_size");
_Static_assert(offsetof(struct sz_hook_info, hook) == 4, "sz_hook_info.hook");
_Static_assert(offsetof(struct sz_hook_info, step) == 8, "sz_hook_info.step");
_Static_assert(offsetof(struct sz_hook_info, attempt) == 16, "sz_hook_info.attempt");
_Static_assert(offsetof(struct sz_hook_info, epoch) == 24, "sz_hook_info.epoch");
_Static_assert(offsetof(struct sz_hook_info, micro_batch) == 32, "sz_hook_info.micro_batch");
_Static_assert(offsetof(struct sz_hook_info, micro_batches) == 36, "sz_hook_info.micro_batches");
_Static_assert(offsetof(struct sz_hook_info, segment) == 40, "sz_hook_info.segment");
_Static_assert(offsetof(struct sz_hook_info, mode) == 44, "sz_hook_info.mode");
_Static_assert(offsetof(struct sz_hook_info, segment_name) == 48, "sz_hook_info.segment_name");
_Static_assert(offsetof(struct sz_hook_info, global_tokens) == 56, "sz_hook_info.global_tokens");
_Static_assert(offsetof(struct sz_hook_info, lr) == 64, "sz_hook_info.lr");
_Static_assert(offsetof(struct sz_hook_info, plan_count) == 72, "sz_hook_info.plan_count");
_Static_assert(offsetof(struct sz_hook_info, plan) == 80, "sz_hook_info.plan");
_Static_assert(offsetof(struct sz_hook_info, batch) == 88, "sz_hook_info.batch");
_Static_assert(offsetof(struct sz_hook_info, token_loss) == 96, "sz_hook_info.token_loss");
_Static_assert(offsetof(struct sz_hook_info, token_correct) == 104, "sz_hook_info.token_correct");
_Static_assert(offsetof(struct sz_hook_info, facts) == 112, "sz_hook_info.facts");
_Static_assert(offsetof(struct sz_hook_info, model) == 120, "sz_hook_info.model");
_Static_assert(offsetof(struct sz_hook_info, eval) == 128, "sz_hook_info.eval");
_Static_assert(offsetof(struct sz_hook_info, path) == 136, "sz_hook_info.path");
_Static_assert(offsetof(struct sz_hook_info, reason) == 144, "sz_hook_info.reason");
_Static_assert(offsetof(struct sz_hook_info, signal) == 152, "sz_hook_info.signal");
_Static_assert(offsetof(struct sz_hook_info, reserved) == 156, "sz_hook_info.reserved");
_Static_assert(sizeof(struct sz_hook_info) == 160, "sz_hook_info");

_Static_assert(offsetof(struct sz_observer, struct_size) == 0, "sz_observer.struct_size");
_Static_assert(offsetof(struct sz_observer, reserved) == 4, "sz_observer.reserved");
_Static_assert(offsetof(struct sz_observer, on) == 8, "sz_observer.on");
_Static_assert(sizeof(struct sz_observer) == 16, "sz_observer");

_Static_assert(offsetof(struct sz_around, struct_size) == 0, "sz_around.struct_size");
_Static_assert(offsetof(struct sz_around, reserved) == 4, "sz_around.reserved");
_Static_assert(offsetof(struct sz_around, segment_forward) == 8, "sz_around.segment_forward");
_Static_assert(offsetof(struct sz_around, segment_backward) == 16, "sz_around.segment_backward");
_Static_assert(offsetof(struct sz_around, optimizer_step) == 24, "sz_around.optimizer_step");
_Static_assert(sizeof(struct sz_around) == 32, "sz_around");
