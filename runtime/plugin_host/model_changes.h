// The part of sz.model/1 that changes a model: allowed in MODEL_DECLARED and in an architecture's declare() alone.
#pragma once
#include <sz/host/model.h>

namespace sz::model_changes {

sz_error* add_parameter(const sz_host* host, sz_model* model, const sz_parameter_info* info, int64_t* index);
sz_error* give_to_segment(const sz_host* host, sz_model* model, int64_t segment, int64_t parameter);
sz_error* set_trainable(const sz_host* host, sz_model* model, int64_t parameter, sz_bool trainable);
sz_error* set_decay(const sz_host* host, sz_model* model, int64_t parameter, sz_bool decay);
sz_error* tie(const sz_host* host, sz_model* model, int64_t kept, int64_t gone);
sz_error* add_segment(const sz_host* host, sz_model* model, const sz_segment_info* info, const sz_segment* table,
                      void* segment);
sz_error* set_head(const sz_host* host, sz_model* model, const sz_segment_info* info, const sz_segment* table,
                   void* segment);
sz_error* add_loss(const sz_host* host, sz_model* model, const sz_segment_info* info);

}  // namespace sz::model_changes
