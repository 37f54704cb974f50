/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/slots.h>

_Static_assert(offsetof(struct sz_parameter_dtypes, master) == 0, "sz_parameter_dtypes.master");
_Static_assert(offsetof(struct sz_parameter_dtypes, compute) == 1, "sz_parameter_dtypes.compute");
_Static_assert(offsetof(struct sz_parameter_dtypes, accumulate) == 2, "sz_parameter_dtypes.accumulate");
_Static_assert(offsetof(struct sz_parameter_dtypes, wire) == 3, "sz_parameter_dtypes.wire");
_Static_assert(sizeof(struct sz_parameter_dtypes) == 4, "sz_parameter_dtypes");

_Static_assert(offsetof(struct sz_segment_dtypes, activation) == 0, "sz_segment_dtypes.activation");
_Static_assert(offsetof(struct sz_segment_dtypes, autocast) == 1, "sz_segment_dtypes.autocast");
_Static_assert(offsetof(struct sz_segment_dtypes, reserved) == 2, "sz_segment_dtypes.reserved");
_Static_assert(sizeof(struct sz_segment_dtypes) == 4, "sz_segment_dtypes");

_Static_assert(offsetof(struct sz_precision, struct_size) == 0, "sz_precision.struct_size");
_Static_assert(offsetof(struct sz_precision, reserved) == 4, "sz_precision.reserved");
_Static_assert(offsetof(struct sz_precision, plan) == 8, "sz_precision.plan");
_Static_assert(offsetof(struct sz_precision, scale) == 16, "sz_precision.scale");
_Static_assert(offsetof(struct sz_precision, judge) == 24, "sz_precision.judge");
_Static_assert(sizeof(struct sz_precision) == 32, "sz_precision");

_Static_assert(offsetof(struct sz_export_piece, struct_size) == 0, "sz_export_piece.struct_size");
_Static_assert(offsetof(struct sz_export_piece, rank_count) == 4, "sz_export_piece.rank_count");
_Static_assert(offsetof(struct sz_export_piece, parameter) == 8, "sz_export_piece.parameter");
_Static_assert(offsetof(struct sz_export_piece, state) == 16, "sz_export_piece.state");
_Static_assert(offsetof(struct sz_export_piece, shape) == 24, "sz_export_piece.shape");
_Static_assert(offsetof(struct sz_export_piece, begin) == 32, "sz_export_piece.begin");
_Static_assert(offsetof(struct sz_export_piece, end) == 40, "sz_export_piece.end");
_Static_assert(offsetof(struct sz_export_piece, data) == 48, "sz_export_piece.data");
_Static_assert(sizeof(struct sz_export_piece) == 56, "sz_export_piece");

_Static_assert(offsetof(struct sz_gradient_facts, struct_size) == 0, "sz_gradient_facts.struct_size");
_Static_assert(offsetof(struct sz_gradient_facts, first_non_finite_parameter) == 4, "sz_gradient_facts.first_non_finite_parameter");
_Static_assert(offsetof(struct sz_gradient_facts, sum_squares) == 8, "sz_gradient_facts.sum_squares");
_Static_assert(offsetof(struct sz_gradient_facts, non_finite) == 16, "sz_gradient_facts.non_finite");
_Static_assert(sizeof(struct sz_gradient_facts) == 24, "sz_gradient_facts");

_Static_assert(offsetof(struct sz_residency_setup, struct_size) == 0, "sz_residency_setup.struct_size");
_Static_assert(offsetof(struct sz_residency_setup, optimizer_element_wise) == 4, "sz_residency_setup.optimizer_element_wise");
_Static_assert(offsetof(struct sz_residency_setup, model) == 8, "sz_residency_setup.model");
_Static_assert(offsetof(struct sz_residency_setup, parameter_count) == 16, "sz_residency_setup.parameter_count");
_Static_assert(offsetof(struct sz_residency_setup, parameters) == 24, "sz_residency_setup.parameters");
_Static_assert(offsetof(struct sz_residency_setup, segment_count) == 32, "sz_residency_setup.segment_count");
_Static_assert(offsetof(struct sz_residency_setup, segments) == 40, "sz_residency_setup.segments");
_Static_assert(offsetof(struct sz_residency_setup, seed) == 48, "sz_residency_setup.seed");
_Static_assert(offsetof(struct sz_residency_setup, optimizer_states) == 56, "sz_residency_setup.optimizer_states");
_Static_assert(offsetof(struct sz_residency_setup, keep_stable) == 64, "sz_residency_setup.keep_stable");
_Static_assert(offsetof(struct sz_residency_setup, reserved) == 68, "sz_residency_setup.reserved");
_Static_assert(sizeof(struct sz_residency_setup) == 72, "sz_residency_setup");

_Static_assert(offsetof(struct sz_residency, struct_size) == 0, "sz_residency.struct_size");
_Static_assert(offsetof(struct sz_residency, reserved) == 4, "sz_residency.reserved");
_Static_assert(offsetof(struct sz_residency, build) == 8, "sz_residency.build");
_Static_assert(offsetof(struct sz_residency, acquire) == 16, "sz_residency.acquire");
_Static_assert(offsetof(struct sz_residency, release) == 24, "sz_residency.release");
_Static_assert(offsetof(struct sz_residency, acquire_head) == 32, "sz_residency.acquire_head");
_Static_assert(offsetof(struct sz_residency, hold_all) == 40, "sz_residency.hold_all");
_Static_assert(offsetof(struct sz_residency, let_go) == 48, "sz_residency.let_go");
_Static_assert(offsetof(struct sz_residency, begin_step) == 56, "sz_residency.begin_step");
_Static_assert(offsetof(struct sz_residency, accumulate) == 64, "sz_residency.accumulate");
_Static_assert(offsetof(struct sz_residency, finish_gradients) == 72, "sz_residency.finish_gradients");
_Static_assert(offsetof(struct sz_residency, gradient_facts) == 80, "sz_residency.gradient_facts");
_Static_assert(offsetof(struct sz_residency, for_each_unit) == 88, "sz_residency.for_each_unit");
_Static_assert(offsetof(struct sz_residency, parameters_updated) == 96, "sz_residency.parameters_updated");
_Static_assert(offsetof(struct sz_residency, can_restore) == 104, "sz_residency.can_restore");
_Static_assert(offsetof(struct sz_residency, mark_stable) == 112, "sz_residency.mark_stable");
_Static_assert(offsetof(struct sz_residency, restore) == 120, "sz_residency.restore");
_Static_assert(offsetof(struct sz_residency, export_pieces) == 128, "sz_residency.export_pieces");
_Static_assert(offsetof(struct sz_residency, import_pieces) == 136, "sz_residency.import_pieces");
_Static_assert(sizeof(struct sz_residency) == 144, "sz_residency");

_Static_assert(offsetof(struct sz_sampler_setup, struct_size) == 0, "sz_sampler_setup.struct_size");
_Static_assert(offsetof(struct sz_sampler_setup, reserved) == 4, "sz_sampler_setup.reserved");
_Static_assert(offsetof(struct sz_sampler_setup, samples) == 8, "sz_sampler_setup.samples");
_Static_assert(offsetof(struct sz_sampler_setup, global_batch) == 16, "sz_sampler_setup.global_batch");
_Static_assert(offsetof(struct sz_sampler_setup, seed) == 24, "sz_sampler_setup.seed");
_Static_assert(sizeof(struct sz_sampler_setup) == 32, "sz_sampler_setup");

_Static_assert(offsetof(struct sz_sample_tokens, struct_size) == 0, "sz_sample_tokens.struct_size");
_Static_assert(offsetof(struct sz_sample_tokens, reserved) == 4, "sz_sample_tokens.reserved");
_Static_assert(offsetof(struct sz_sample_tokens, length) == 8, "sz_sample_tokens.length");
_Static_assert(offsetof(struct sz_sample_tokens, ids) == 16, "sz_sample_tokens.ids");
_Static_assert(offsetof(struct sz_sample_tokens, labels) == 24, "sz_sample_tokens.labels");
_Static_assert(offsetof(struct sz_sample_tokens, mask) == 32, "sz_sample_tokens.mask");
_Static_assert(sizeof(struct sz_sample_tokens) == 40, "sz_sample_tokens");

_Static_assert(offsetof(struct sz_sampler, struct_size) == 0, "sz_sampler.struct_size");
_Static_assert(offsetof(struct sz_sampler, reserved) == 4, "sz_sampler.reserved");
_Static_assert(offsetof(struct sz_sampler, setup) == 8, "sz_sampler.setup");
_Static_assert(offsetof(struct sz_sampler, initial_state) == 16, "sz_sampler.initial_state");
_Static_assert(offsetof(struct sz_sampler, plan) == 24, "sz_sampler.plan");
_Static_assert(offsetof(struct sz_sampler, transform) == 32, "sz_sampler.transform");
_Static_assert(sizeof(struct sz_sampler) == 40, "sz_sampler");
