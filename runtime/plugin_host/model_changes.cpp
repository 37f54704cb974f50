#include "plugin_host/model_changes.h"

#include <algorithm>
#include <cmath>

#include "model/loss_segment.h"
#include "plugin_host/arguments.h"
#include "plugin_host/handles.h"
#include "plugin_host/instance.h"
#include "plugin_host/plugin_segment.h"

namespace sz::model_changes {
namespace {

// The model, if it may be changed now.
ModelDeclaration& open_model(const sz_host* host, sz_model* handle, const char* function) {
  PluginInstance& plugin = instance_of(host);
  plugin.require_main(function);
  plugin.require_phase(function, kRun);
  ModelDeclaration* open = plugin.run().declaring;
  if (open && (!handle || to_handle(open) == handle)) return *open;
  throw Error(Exit::kPlugin, std::string(function) + " is allowed in MODEL_DECLARED and in an architecture's declare "
                                                     "alone");
}

ParameterDeclaration& parameter_at(ModelDeclaration& model, int64_t index) {
  if (index >= 0 && index < int64_t(model.parameters.size())) return model.parameters[size_t(index)];
  throw Error(Exit::kPlugin, "the model has no parameter " + std::to_string(index));
}

ParameterDeclaration copy_parameter(const sz_parameter_info& info) {
  require_size(info.struct_size, sizeof(sz_parameter_info), "info");
  ParameterDeclaration parameter;
  parameter.name = required_text(info.name, "info.name");
  if (info.ndim > 0) require_pointer(info.shape, "info.shape");
  if (info.ndim > 16) throw Error(Exit::kPlugin, parameter.name + ": too many dimensions");
  parameter.shape.assign(info.shape, info.shape + info.ndim);
  const auto empty = [](int64_t size) { return size <= 0; };
  const bool bad_shape = std::any_of(parameter.shape.begin(), parameter.shape.end(), empty);
  const bool bad_std = !std::isfinite(info.init_std) || info.init_std < 0;
  if (bad_shape || bad_std || info.role > SZ_ROLE_MATRIX || info.init > SZ_INIT_NORMAL) {
    throw Error(Exit::kPlugin, parameter.name + ": its shape, role or initial values make no sense");
  }
  parameter.role = Role(info.role);
  parameter.init = Init(info.init);
  parameter.init_std = info.init_std;
  parameter.decay = info.decay != 0;
  parameter.trainable = info.trainable != 0;
  return parameter;
}

SegmentDeclaration copy_segment(ModelDeclaration& model, const sz_segment_info* info) {
  require_pointer(info, "info");
  require_size(info->struct_size, sizeof(sz_segment_info), "info");
  SegmentDeclaration segment;
  segment.name = required_text(info->name, "info.name");
  if (info->parameter_count > 0) require_pointer(info->parameters, "info.parameters");
  for (uint32_t i = 0; i < info->parameter_count; ++i) {
    parameter_at(model, info->parameters[i]);
    segment.parameters.push_back(info->parameters[i]);
  }
  return segment;
}

void require_declare(const sz_host* host, const char* function) {
  if (instance_of(host).run().declaring_loss) return;
  throw Error(Exit::kPlugin, std::string(function) + " is allowed in an architecture's declare alone");
}

}  // namespace

sz_error* add_parameter(const sz_host* host, sz_model* handle, const sz_parameter_info* info, int64_t* index) {
  return guarded([&] {
    ModelDeclaration& model = open_model(host, handle, "sz.model add_parameter");
    require_pointer(info, "info");
    ParameterDeclaration parameter = copy_parameter(*info);
    if (model.find_parameter(parameter.name) >= 0) {
      throw Error(Exit::kPlugin, "the model has a parameter " + parameter.name + " already");
    }
    model.parameters.push_back(std::move(parameter));
    if (index) *index = int64_t(model.parameters.size()) - 1;
  });
}

sz_error* give_to_segment(const sz_host* host, sz_model* handle, int64_t segment, int64_t parameter) {
  return guarded([&] {
    ModelDeclaration& model = open_model(host, handle, "sz.model give_to_segment");
    parameter_at(model, parameter);
    if (segment < 0 || segment >= int64_t(model.segments.size())) {
      throw Error(Exit::kPlugin, "the model has no segment " + std::to_string(segment));
    }
    model.segments[size_t(segment)].parameters.push_back(int(parameter));
  });
}

sz_error* set_trainable(const sz_host* host, sz_model* handle, int64_t parameter, sz_bool trainable) {
  return guarded([&] {
    parameter_at(open_model(host, handle, "sz.model set_trainable"), parameter).trainable = trainable != 0;
  });
}

sz_error* set_decay(const sz_host* host, sz_model* handle, int64_t parameter, sz_bool decay) {
  return guarded(
      [&] { parameter_at(open_model(host, handle, "sz.model set_decay"), parameter).decay = decay != 0; });
}

sz_error* tie(const sz_host* host, sz_model* handle, int64_t kept, int64_t gone) {
  return guarded([&] {
    ModelDeclaration& model = open_model(host, handle, "sz.model tie");
    const ParameterDeclaration& first = parameter_at(model, kept);
    const ParameterDeclaration& second = parameter_at(model, gone);
    if (first.shape != second.shape) {
      throw Error(Exit::kPlugin, first.name + " and " + second.name + " have different shapes; they can't be tied");
    }
    const auto replace = [&](SegmentDeclaration& segment) {
      std::replace(segment.parameters.begin(), segment.parameters.end(), int(gone), int(kept));
    };
    std::for_each(model.segments.begin(), model.segments.end(), replace);
    replace(model.head);
  });
}

sz_error* add_segment(const sz_host* host, sz_model* handle, const sz_segment_info* info, const sz_segment* table,
                      void* segment) {
  return guarded([&] {
    ModelDeclaration& model = open_model(host, handle, "sz.model add_segment");
    require_declare(host, "sz.model add_segment");
    SegmentDeclaration declared = copy_segment(model, info);
    declared.segment = make_plugin_segment(instance_of(host), declared.name, table, segment);
    model.segments.push_back(std::move(declared));
  });
}

sz_error* set_head(const sz_host* host, sz_model* handle, const sz_segment_info* info, const sz_segment* table,
                   void* segment) {
  return guarded([&] {
    ModelDeclaration& model = open_model(host, handle, "sz.model set_head");
    require_declare(host, "sz.model set_head");
    model.head = copy_segment(model, info);
    model.head.segment = make_plugin_segment(instance_of(host), model.head.name, table, segment);
  });
}

sz_error* add_loss(const sz_host* host, sz_model* handle, const sz_segment_info* info) {
  return guarded([&] {
    ModelDeclaration& model = open_model(host, handle, "sz.model add_loss");
    require_declare(host, "sz.model add_loss");
    SegmentDeclaration declared = copy_segment(model, info);
    declared.segment = std::make_shared<LossSegment>(instance_of(host).run().declaring_loss);
    model.segments.push_back(std::move(declared));
  });
}

}  // namespace sz::model_changes
