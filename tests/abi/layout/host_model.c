/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/model.h>

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
