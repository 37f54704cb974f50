/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/facts.h>

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
