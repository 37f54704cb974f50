/* Every slot's offset, checked by the compiler. Made by abi.py update; see README.md there. */
#include <sz/base.h>
#include <sz/facts.h>
#include <sz/hooks.h>
#include <sz/host/alloc.h>
#include <sz/host/comm.h>
#include <sz/host/config.h>
#include <sz/host/data.h>
#include <sz/host/decisions.h>
#include <sz/host/events.h>
#include <sz/host/hooks.h>
#include <sz/host/log.h>
#include <sz/host/metrics.h>
#include <sz/host/model.h>
#include <sz/host/rng.h>
#include <sz/host/run.h>
#include <sz/host/services.h>
#include <sz/host/state.h>
#include <sz/host/tensor.h>
#include <sz/host/torch.h>
#include <sz/plugin.h>
#include <sz/services.h>
#include <sz/slots.h>
#include <sz/unit.h>

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

_Static_assert(offsetof(struct sz_outcome, loss) == 0, "sz_outcome.loss");
_Static_assert(offsetof(struct sz_outcome, tokens) == 8, "sz_outcome.tokens");
_Static_assert(offsetof(struct sz_outcome, correct) == 16, "sz_outcome.correct");
_Static_assert(sizeof(struct sz_outcome) == 24, "sz_outcome");

_Static_assert(offsetof(struct sz_step_facts, struct_size) == 0, "sz_step_facts.struct_size");
_Static_assert(offsetof(struct sz_step_facts, first_non_finite_parameter) == 4, "sz_step_facts.first_non_finite_parameter");
_Static_assert(offsetof(struct sz_step_facts, step) == 8, "sz_step_facts.step");
_Static_assert(offsetof(struct sz_step_facts, attempt) == 16, "sz_step_facts.attempt");
_Static_assert(offsetof(struct sz_step_facts, scale) == 24, "sz_step_facts.scale");
_Static_assert(offsetof(struct sz_step_facts, grad_norm) == 32, "sz_step_facts.grad_norm");
_Static_assert(offsetof(struct sz_step_facts, non_finite) == 40, "sz_step_facts.non_finite");
_Static_assert(offsetof(struct sz_step_facts, loss) == 48, "sz_step_facts.loss");
_Static_assert(offsetof(struct sz_step_facts, tokens) == 56, "sz_step_facts.tokens");
_Static_assert(offsetof(struct sz_step_facts, sample_count) == 64, "sz_step_facts.sample_count");
_Static_assert(offsetof(struct sz_step_facts, samples) == 72, "sz_step_facts.samples");
_Static_assert(offsetof(struct sz_step_facts, scalar_count) == 80, "sz_step_facts.scalar_count");
_Static_assert(offsetof(struct sz_step_facts, scalar_names) == 88, "sz_step_facts.scalar_names");
_Static_assert(offsetof(struct sz_step_facts, scalar_values) == 96, "sz_step_facts.scalar_values");
_Static_assert(offsetof(struct sz_step_facts, stop_signal) == 104, "sz_step_facts.stop_signal");
_Static_assert(offsetof(struct sz_step_facts, stop_requested) == 108, "sz_step_facts.stop_requested");
_Static_assert(offsetof(struct sz_step_facts, save_requested) == 112, "sz_step_facts.save_requested");
_Static_assert(offsetof(struct sz_step_facts, evaluate_requested) == 116, "sz_step_facts.evaluate_requested");
_Static_assert(offsetof(struct sz_step_facts, low_entries) == 120, "sz_step_facts.low_entries");
_Static_assert(offsetof(struct sz_step_facts, low_zeros) == 128, "sz_step_facts.low_zeros");
_Static_assert(sizeof(struct sz_step_facts) == 136, "sz_step_facts");

_Static_assert(offsetof(struct sz_vote, struct_size) == 0, "sz_vote.struct_size");
_Static_assert(offsetof(struct sz_vote, verdict) == 4, "sz_vote.verdict");
_Static_assert(offsetof(struct sz_vote, reason) == 8, "sz_vote.reason");
_Static_assert(offsetof(struct sz_vote, clip) == 16, "sz_vote.clip");
_Static_assert(offsetof(struct sz_vote, has_clip) == 24, "sz_vote.has_clip");
_Static_assert(offsetof(struct sz_vote, keep_data_position) == 28, "sz_vote.keep_data_position");
_Static_assert(offsetof(struct sz_vote, reason_zh) == 32, "sz_vote.reason_zh");
_Static_assert(sizeof(struct sz_vote) == 40, "sz_vote");

_Static_assert(offsetof(struct sz_voter, struct_size) == 0, "sz_voter.struct_size");
_Static_assert(offsetof(struct sz_voter, reserved) == 4, "sz_voter.reserved");
_Static_assert(offsetof(struct sz_voter, judge) == 8, "sz_voter.judge");
_Static_assert(sizeof(struct sz_voter) == 16, "sz_voter");

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

_Static_assert(offsetof(struct sz_alloc_info, struct_size) == 0, "sz_alloc_info.struct_size");
_Static_assert(offsetof(struct sz_alloc_info, reserved) == 4, "sz_alloc_info.reserved");
_Static_assert(offsetof(struct sz_alloc_info, live_bytes) == 8, "sz_alloc_info.live_bytes");
_Static_assert(offsetof(struct sz_alloc_info, peak_bytes) == 16, "sz_alloc_info.peak_bytes");
_Static_assert(offsetof(struct sz_alloc_info, cached_bytes) == 24, "sz_alloc_info.cached_bytes");
_Static_assert(offsetof(struct sz_alloc_info, limit_bytes) == 32, "sz_alloc_info.limit_bytes");
_Static_assert(sizeof(struct sz_alloc_info) == 40, "sz_alloc_info");

_Static_assert(offsetof(struct sz_alloc, struct_size) == 0, "sz_alloc.struct_size");
_Static_assert(offsetof(struct sz_alloc, reserved) == 4, "sz_alloc.reserved");
_Static_assert(offsetof(struct sz_alloc, read) == 8, "sz_alloc.read");
_Static_assert(offsetof(struct sz_alloc, reset_peak) == 16, "sz_alloc.reset_peak");
_Static_assert(sizeof(struct sz_alloc) == 24, "sz_alloc");

_Static_assert(offsetof(struct sz_work_times, posted) == 0, "sz_work_times.posted");
_Static_assert(offsetof(struct sz_work_times, started) == 8, "sz_work_times.started");
_Static_assert(offsetof(struct sz_work_times, finished) == 16, "sz_work_times.finished");
_Static_assert(sizeof(struct sz_work_times) == 24, "sz_work_times");

_Static_assert(offsetof(struct sz_comm, struct_size) == 0, "sz_comm.struct_size");
_Static_assert(offsetof(struct sz_comm, reserved) == 4, "sz_comm.reserved");
_Static_assert(offsetof(struct sz_comm, rank) == 8, "sz_comm.rank");
_Static_assert(offsetof(struct sz_comm, size) == 16, "sz_comm.size");
_Static_assert(offsetof(struct sz_comm, all_reduce) == 24, "sz_comm.all_reduce");
_Static_assert(offsetof(struct sz_comm, reduce_scatter) == 32, "sz_comm.reduce_scatter");
_Static_assert(offsetof(struct sz_comm, all_gather) == 40, "sz_comm.all_gather");
_Static_assert(offsetof(struct sz_comm, broadcast) == 48, "sz_comm.broadcast");
_Static_assert(offsetof(struct sz_comm, wait) == 56, "sz_comm.wait");
_Static_assert(offsetof(struct sz_comm, done) == 64, "sz_comm.done");
_Static_assert(sizeof(struct sz_comm) == 72, "sz_comm");

_Static_assert(offsetof(struct sz_config, struct_size) == 0, "sz_config.struct_size");
_Static_assert(offsetof(struct sz_config, reserved) == 4, "sz_config.reserved");
_Static_assert(offsetof(struct sz_config, has) == 8, "sz_config.has");
_Static_assert(offsetof(struct sz_config, get_bool) == 16, "sz_config.get_bool");
_Static_assert(offsetof(struct sz_config, get_int) == 24, "sz_config.get_int");
_Static_assert(offsetof(struct sz_config, get_float) == 32, "sz_config.get_float");
_Static_assert(offsetof(struct sz_config, get_string) == 40, "sz_config.get_string");
_Static_assert(offsetof(struct sz_config, get_string_list) == 48, "sz_config.get_string_list");
_Static_assert(offsetof(struct sz_config, get_float_list) == 56, "sz_config.get_float_list");
_Static_assert(sizeof(struct sz_config) == 64, "sz_config");

_Static_assert(offsetof(struct sz_data, struct_size) == 0, "sz_data.struct_size");
_Static_assert(offsetof(struct sz_data, reserved) == 4, "sz_data.reserved");
_Static_assert(offsetof(struct sz_data, count) == 8, "sz_data.count");
_Static_assert(offsetof(struct sz_data, info) == 16, "sz_data.info");
_Static_assert(offsetof(struct sz_data, language) == 24, "sz_data.language");
_Static_assert(offsetof(struct sz_data, text) == 32, "sz_data.text");
_Static_assert(offsetof(struct sz_data, tokens) == 40, "sz_data.tokens");
_Static_assert(offsetof(struct sz_data, encode) == 48, "sz_data.encode");
_Static_assert(offsetof(struct sz_data, scores) == 56, "sz_data.scores");
_Static_assert(sizeof(struct sz_data) == 64, "sz_data");

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

_Static_assert(offsetof(struct sz_log, struct_size) == 0, "sz_log.struct_size");
_Static_assert(offsetof(struct sz_log, reserved) == 4, "sz_log.reserved");
_Static_assert(offsetof(struct sz_log, write) == 8, "sz_log.write");
_Static_assert(sizeof(struct sz_log) == 16, "sz_log");

_Static_assert(offsetof(struct sz_metrics, struct_size) == 0, "sz_metrics.struct_size");
_Static_assert(offsetof(struct sz_metrics, reserved) == 4, "sz_metrics.reserved");
_Static_assert(offsetof(struct sz_metrics, publish) == 8, "sz_metrics.publish");
_Static_assert(offsetof(struct sz_metrics, read) == 16, "sz_metrics.read");
_Static_assert(sizeof(struct sz_metrics) == 24, "sz_metrics");

_Static_assert(offsetof(struct sz_parameter_info, struct_size) == 0, "sz_parameter_info.struct_size");
_Static_assert(offsetof(struct sz_parameter_info, ndim) == 4, "sz_parameter_info.ndim");
_Static_assert(offsetof(struct sz_parameter_info, name) == 8, "sz_parameter_info.name");
_Static_assert(offsetof(struct sz_parameter_info, shape) == 16, "sz_parameter_info.shape");
_Static_assert(offsetof(struct sz_parameter_info, role) == 24, "sz_parameter_info.role");
_Static_assert(offsetof(struct sz_parameter_info, init) == 28, "sz_parameter_info.init");
_Static_assert(offsetof(struct sz_parameter_info, init_std) == 32, "sz_parameter_info.init_std");
_Static_assert(offsetof(struct sz_parameter_info, decay) == 40, "sz_parameter_info.decay");
_Static_assert(offsetof(struct sz_parameter_info, trainable) == 44, "sz_parameter_info.trainable");
_Static_assert(sizeof(struct sz_parameter_info) == 48, "sz_parameter_info");

_Static_assert(offsetof(struct sz_segment_info, struct_size) == 0, "sz_segment_info.struct_size");
_Static_assert(offsetof(struct sz_segment_info, parameter_count) == 4, "sz_segment_info.parameter_count");
_Static_assert(offsetof(struct sz_segment_info, name) == 8, "sz_segment_info.name");
_Static_assert(offsetof(struct sz_segment_info, parameters) == 16, "sz_segment_info.parameters");
_Static_assert(sizeof(struct sz_segment_info) == 24, "sz_segment_info");

_Static_assert(offsetof(struct sz_model_api, struct_size) == 0, "sz_model_api.struct_size");
_Static_assert(offsetof(struct sz_model_api, reserved) == 4, "sz_model_api.reserved");
_Static_assert(offsetof(struct sz_model_api, parameter_count) == 8, "sz_model_api.parameter_count");
_Static_assert(offsetof(struct sz_model_api, segment_count) == 16, "sz_model_api.segment_count");
_Static_assert(offsetof(struct sz_model_api, vocabulary) == 24, "sz_model_api.vocabulary");
_Static_assert(offsetof(struct sz_model_api, context) == 32, "sz_model_api.context");
_Static_assert(offsetof(struct sz_model_api, parameter) == 40, "sz_model_api.parameter");
_Static_assert(offsetof(struct sz_model_api, find_parameter) == 48, "sz_model_api.find_parameter");
_Static_assert(offsetof(struct sz_model_api, segment) == 56, "sz_model_api.segment");
_Static_assert(offsetof(struct sz_model_api, add_parameter) == 64, "sz_model_api.add_parameter");
_Static_assert(offsetof(struct sz_model_api, give_to_segment) == 72, "sz_model_api.give_to_segment");
_Static_assert(offsetof(struct sz_model_api, set_trainable) == 80, "sz_model_api.set_trainable");
_Static_assert(offsetof(struct sz_model_api, set_decay) == 88, "sz_model_api.set_decay");
_Static_assert(offsetof(struct sz_model_api, tie) == 96, "sz_model_api.tie");
_Static_assert(offsetof(struct sz_model_api, add_segment) == 104, "sz_model_api.add_segment");
_Static_assert(offsetof(struct sz_model_api, set_head) == 112, "sz_model_api.set_head");
_Static_assert(offsetof(struct sz_model_api, add_loss) == 120, "sz_model_api.add_loss");
_Static_assert(offsetof(struct sz_model_api, initialise) == 128, "sz_model_api.initialise");
_Static_assert(sizeof(struct sz_model_api) == 136, "sz_model_api");

_Static_assert(offsetof(struct sz_rng, struct_size) == 0, "sz_rng.struct_size");
_Static_assert(offsetof(struct sz_rng, reserved) == 4, "sz_rng.reserved");
_Static_assert(offsetof(struct sz_rng, key) == 8, "sz_rng.key");
_Static_assert(offsetof(struct sz_rng, draw) == 16, "sz_rng.draw");
_Static_assert(sizeof(struct sz_rng) == 24, "sz_rng");

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

_Static_assert(offsetof(struct sz_provider, name) == 0, "sz_provider.name");
_Static_assert(offsetof(struct sz_provider, plugin) == 8, "sz_provider.plugin");
_Static_assert(offsetof(struct sz_provider, table) == 16, "sz_provider.table");
_Static_assert(offsetof(struct sz_provider, object) == 24, "sz_provider.object");
_Static_assert(sizeof(struct sz_provider) == 32, "sz_provider");

_Static_assert(offsetof(struct sz_services, struct_size) == 0, "sz_services.struct_size");
_Static_assert(offsetof(struct sz_services, reserved) == 4, "sz_services.reserved");
_Static_assert(offsetof(struct sz_services, count) == 8, "sz_services.count");
_Static_assert(offsetof(struct sz_services, at) == 16, "sz_services.at");
_Static_assert(offsetof(struct sz_services, find) == 24, "sz_services.find");
_Static_assert(sizeof(struct sz_services) == 32, "sz_services");

_Static_assert(offsetof(struct sz_stateful, struct_size) == 0, "sz_stateful.struct_size");
_Static_assert(offsetof(struct sz_stateful, reserved) == 4, "sz_stateful.reserved");
_Static_assert(offsetof(struct sz_stateful, save) == 8, "sz_stateful.save");
_Static_assert(offsetof(struct sz_stateful, load) == 16, "sz_stateful.load");
_Static_assert(sizeof(struct sz_stateful) == 24, "sz_stateful");

_Static_assert(offsetof(struct sz_state_api, struct_size) == 0, "sz_state_api.struct_size");
_Static_assert(offsetof(struct sz_state_api, reserved) == 4, "sz_state_api.reserved");
_Static_assert(offsetof(struct sz_state_api, changed) == 8, "sz_state_api.changed");
_Static_assert(sizeof(struct sz_state_api) == 16, "sz_state_api");

_Static_assert(offsetof(struct sz_tensor_info, struct_size) == 0, "sz_tensor_info.struct_size");
_Static_assert(offsetof(struct sz_tensor_info, dtype) == 4, "sz_tensor_info.dtype");
_Static_assert(offsetof(struct sz_tensor_info, ndim) == 8, "sz_tensor_info.ndim");
_Static_assert(offsetof(struct sz_tensor_info, device) == 12, "sz_tensor_info.device");
_Static_assert(offsetof(struct sz_tensor_info, numel) == 16, "sz_tensor_info.numel");
_Static_assert(offsetof(struct sz_tensor_info, shape) == 24, "sz_tensor_info.shape");
_Static_assert(offsetof(struct sz_tensor_info, strides) == 32, "sz_tensor_info.strides");
_Static_assert(offsetof(struct sz_tensor_info, data) == 40, "sz_tensor_info.data");
_Static_assert(offsetof(struct sz_tensor_info, contiguous) == 48, "sz_tensor_info.contiguous");
_Static_assert(offsetof(struct sz_tensor_info, requires_grad) == 52, "sz_tensor_info.requires_grad");
_Static_assert(sizeof(struct sz_tensor_info) == 56, "sz_tensor_info");

_Static_assert(offsetof(struct sz_tensor_api, struct_size) == 0, "sz_tensor_api.struct_size");
_Static_assert(offsetof(struct sz_tensor_api, reserved) == 4, "sz_tensor_api.reserved");
_Static_assert(offsetof(struct sz_tensor_api, describe) == 8, "sz_tensor_api.describe");
_Static_assert(offsetof(struct sz_tensor_api, retain) == 16, "sz_tensor_api.retain");
_Static_assert(offsetof(struct sz_tensor_api, release) == 24, "sz_tensor_api.release");
_Static_assert(offsetof(struct sz_tensor_api, create) == 32, "sz_tensor_api.create");
_Static_assert(offsetof(struct sz_tensor_api, copy) == 40, "sz_tensor_api.copy");
_Static_assert(offsetof(struct sz_tensor_api, to_dlpack) == 48, "sz_tensor_api.to_dlpack");
_Static_assert(offsetof(struct sz_tensor_api, from_dlpack) == 56, "sz_tensor_api.from_dlpack");
_Static_assert(offsetof(struct sz_tensor_api, append) == 64, "sz_tensor_api.append");
_Static_assert(sizeof(struct sz_tensor_api) == 72, "sz_tensor_api");

_Static_assert(offsetof(struct sz_torch, struct_size) == 0, "sz_torch.struct_size");
_Static_assert(offsetof(struct sz_torch, reserved) == 4, "sz_torch.reserved");
_Static_assert(offsetof(struct sz_torch, version) == 8, "sz_torch.version");
_Static_assert(offsetof(struct sz_torch, tensor) == 16, "sz_torch.tensor");
_Static_assert(offsetof(struct sz_torch, wrap) == 24, "sz_torch.wrap");
_Static_assert(sizeof(struct sz_torch) == 32, "sz_torch");

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
