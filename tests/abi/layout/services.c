/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/services.h>

_Static_assert(offsetof(struct sz_text_item, text) == 0, "sz_text_item.text");
_Static_assert(offsetof(struct sz_text_item, language) == 16, "sz_text_item.language");
_Static_assert(sizeof(struct sz_text_item) == 24, "sz_text_item");

_Static_assert(offsetof(struct sz_scorer, struct_size) == 0, "sz_scorer.struct_size");
_Static_assert(offsetof(struct sz_scorer, version) == 4, "sz_scorer.version");
_Static_assert(offsetof(struct sz_scorer, routes) == 8, "sz_scorer.routes");
_Static_assert(offsetof(struct sz_scorer, fit) == 16, "sz_scorer.fit");
_Static_assert(offsetof(struct sz_scorer, score) == 24, "sz_scorer.score");
_Static_assert(sizeof(struct sz_scorer) == 32, "sz_scorer");

_Static_assert(offsetof(struct sz_pacing_signals, struct_size) == 0, "sz_pacing_signals.struct_size");
_Static_assert(offsetof(struct sz_pacing_signals, warming_up) == 4, "sz_pacing_signals.warming_up");
_Static_assert(offsetof(struct sz_pacing_signals, step) == 8, "sz_pacing_signals.step");
_Static_assert(offsetof(struct sz_pacing_signals, attempt) == 16, "sz_pacing_signals.attempt");
_Static_assert(offsetof(struct sz_pacing_signals, epoch) == 24, "sz_pacing_signals.epoch");
_Static_assert(offsetof(struct sz_pacing_signals, progress) == 32, "sz_pacing_signals.progress");
_Static_assert(offsetof(struct sz_pacing_signals, threshold) == 40, "sz_pacing_signals.threshold");
_Static_assert(offsetof(struct sz_pacing_signals, batch_loss_std) == 48, "sz_pacing_signals.batch_loss_std");
_Static_assert(offsetof(struct sz_pacing_signals, window_loss_std) == 56, "sz_pacing_signals.window_loss_std");
_Static_assert(offsetof(struct sz_pacing_signals, batch_samples) == 64, "sz_pacing_signals.batch_samples");
_Static_assert(offsetof(struct sz_pacing_signals, bucket_count) == 72, "sz_pacing_signals.bucket_count");
_Static_assert(offsetof(struct sz_pacing_signals, bucket_loss) == 80, "sz_pacing_signals.bucket_loss");
_Static_assert(offsetof(struct sz_pacing_signals, bucket_accuracy) == 88, "sz_pacing_signals.bucket_accuracy");
_Static_assert(offsetof(struct sz_pacing_signals, bucket_slope) == 96, "sz_pacing_signals.bucket_slope");
_Static_assert(sizeof(struct sz_pacing_signals) == 104, "sz_pacing_signals");

_Static_assert(offsetof(struct sz_pacing, struct_size) == 0, "sz_pacing.struct_size");
_Static_assert(offsetof(struct sz_pacing, reserved) == 4, "sz_pacing.reserved");
_Static_assert(offsetof(struct sz_pacing, pace) == 8, "sz_pacing.pace");
_Static_assert(sizeof(struct sz_pacing) == 16, "sz_pacing");

_Static_assert(offsetof(struct sz_model_options, struct_size) == 0, "sz_model_options.struct_size");
_Static_assert(offsetof(struct sz_model_options, reserved) == 4, "sz_model_options.reserved");
_Static_assert(offsetof(struct sz_model_options, type) == 8, "sz_model_options.type");
_Static_assert(offsetof(struct sz_model_options, layers) == 16, "sz_model_options.layers");
_Static_assert(offsetof(struct sz_model_options, width) == 24, "sz_model_options.width");
_Static_assert(offsetof(struct sz_model_options, heads) == 32, "sz_model_options.heads");
_Static_assert(offsetof(struct sz_model_options, context) == 40, "sz_model_options.context");
_Static_assert(offsetof(struct sz_model_options, vocabulary) == 48, "sz_model_options.vocabulary");
_Static_assert(offsetof(struct sz_model_options, dropout) == 56, "sz_model_options.dropout");
_Static_assert(offsetof(struct sz_model_options, config_toml) == 64, "sz_model_options.config_toml");
_Static_assert(sizeof(struct sz_model_options) == 80, "sz_model_options");

_Static_assert(offsetof(struct sz_architecture, struct_size) == 0, "sz_architecture.struct_size");
_Static_assert(offsetof(struct sz_architecture, reserved) == 4, "sz_architecture.reserved");
_Static_assert(offsetof(struct sz_architecture, declare) == 8, "sz_architecture.declare");
_Static_assert(sizeof(struct sz_architecture) == 16, "sz_architecture");

_Static_assert(offsetof(struct sz_segment_context, struct_size) == 0, "sz_segment_context.struct_size");
_Static_assert(offsetof(struct sz_segment_context, mode) == 4, "sz_segment_context.mode");
_Static_assert(offsetof(struct sz_segment_context, index) == 8, "sz_segment_context.index");
_Static_assert(offsetof(struct sz_segment_context, save_level) == 12, "sz_segment_context.save_level");
_Static_assert(offsetof(struct sz_segment_context, seed) == 16, "sz_segment_context.seed");
_Static_assert(offsetof(struct sz_segment_context, position_count) == 24, "sz_segment_context.position_count");
_Static_assert(offsetof(struct sz_segment_context, positions) == 32, "sz_segment_context.positions");
_Static_assert(offsetof(struct sz_segment_context, past) == 40, "sz_segment_context.past");
_Static_assert(sizeof(struct sz_segment_context) == 48, "sz_segment_context");

_Static_assert(offsetof(struct sz_tensors, count) == 0, "sz_tensors.count");
_Static_assert(offsetof(struct sz_tensors, items) == 8, "sz_tensors.items");
_Static_assert(sizeof(struct sz_tensors) == 16, "sz_tensors");

_Static_assert(offsetof(struct sz_segment, struct_size) == 0, "sz_segment.struct_size");
_Static_assert(offsetof(struct sz_segment, save_levels) == 4, "sz_segment.save_levels");
_Static_assert(offsetof(struct sz_segment, forward) == 8, "sz_segment.forward");
_Static_assert(offsetof(struct sz_segment, backward) == 16, "sz_segment.backward");
_Static_assert(sizeof(struct sz_segment) == 24, "sz_segment");

_Static_assert(offsetof(struct sz_loss, struct_size) == 0, "sz_loss.struct_size");
_Static_assert(offsetof(struct sz_loss, reserved) == 4, "sz_loss.reserved");
_Static_assert(offsetof(struct sz_loss, compute) == 8, "sz_loss.compute");
_Static_assert(sizeof(struct sz_loss) == 16, "sz_loss");

_Static_assert(offsetof(struct sz_optimizer, struct_size) == 0, "sz_optimizer.struct_size");
_Static_assert(offsetof(struct sz_optimizer, element_wise) == 4, "sz_optimizer.element_wise");
_Static_assert(offsetof(struct sz_optimizer, state_names) == 8, "sz_optimizer.state_names");
_Static_assert(offsetof(struct sz_optimizer, update) == 16, "sz_optimizer.update");
_Static_assert(sizeof(struct sz_optimizer) == 24, "sz_optimizer");

_Static_assert(offsetof(struct sz_progress, struct_size) == 0, "sz_progress.struct_size");
_Static_assert(offsetof(struct sz_progress, reserved) == 4, "sz_progress.reserved");
_Static_assert(offsetof(struct sz_progress, step) == 8, "sz_progress.step");
_Static_assert(offsetof(struct sz_progress, total_steps) == 16, "sz_progress.total_steps");
_Static_assert(offsetof(struct sz_progress, warmup_steps) == 24, "sz_progress.warmup_steps");
_Static_assert(offsetof(struct sz_progress, lr) == 32, "sz_progress.lr");
_Static_assert(offsetof(struct sz_progress, min_lr) == 40, "sz_progress.min_lr");
_Static_assert(sizeof(struct sz_progress) == 48, "sz_progress");

_Static_assert(offsetof(struct sz_schedule, struct_size) == 0, "sz_schedule.struct_size");
_Static_assert(offsetof(struct sz_schedule, reserved) == 4, "sz_schedule.reserved");
_Static_assert(offsetof(struct sz_schedule, factor) == 8, "sz_schedule.factor");
_Static_assert(sizeof(struct sz_schedule) == 16, "sz_schedule");

_Static_assert(offsetof(struct sz_sample_info, struct_size) == 0, "sz_sample_info.struct_size");
_Static_assert(offsetof(struct sz_sample_info, language) == 4, "sz_sample_info.language");
_Static_assert(offsetof(struct sz_sample_info, document) == 8, "sz_sample_info.document");
_Static_assert(offsetof(struct sz_sample_info, offset) == 16, "sz_sample_info.offset");
_Static_assert(offsetof(struct sz_sample_info, length) == 24, "sz_sample_info.length");
_Static_assert(offsetof(struct sz_sample_info, label_tokens) == 32, "sz_sample_info.label_tokens");
_Static_assert(sizeof(struct sz_sample_info) == 40, "sz_sample_info");

_Static_assert(offsetof(struct sz_source, struct_size) == 0, "sz_source.struct_size");
_Static_assert(offsetof(struct sz_source, reserved) == 4, "sz_source.reserved");
_Static_assert(offsetof(struct sz_source, languages) == 8, "sz_source.languages");
_Static_assert(offsetof(struct sz_source, vocabulary) == 16, "sz_source.vocabulary");
_Static_assert(offsetof(struct sz_source, count) == 24, "sz_source.count");
_Static_assert(offsetof(struct sz_source, info) == 32, "sz_source.info");
_Static_assert(offsetof(struct sz_source, read) == 40, "sz_source.read");
_Static_assert(offsetof(struct sz_source, text) == 48, "sz_source.text");
_Static_assert(sizeof(struct sz_source) == 56, "sz_source");
